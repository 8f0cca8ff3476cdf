-- Whether there is a row. A key that is not a row is an error, not a duplicate.
local function is_known(row)
  return redis.call('EXISTS', row) == 1 and redis.call('HLEN', row) >= 0
end
