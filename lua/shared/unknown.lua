-- Whether there are none of these rows, asked for all at once. An error is a no: then each is asked for on its own.
local function none_known(rows)
  return redis.pcall('EXISTS', unpack(rows)) == 0
end
