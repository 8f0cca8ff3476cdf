local occupied = false -- nobody takes jobs out while a script runs: what was seen waiting still waits

-- A new job waits in `pending`; a worker is woken when nothing waited before.
local function admit(row, pending, id, payload)
  -- Also asks whether pending is what it should be, before anything is written.
  local first = not occupied and redis.call('ZCARD', pending) == 0
  local wake = first and string.sub(pending, 1, -8) .. 'wake'
  local awake = first and redis.call('LLEN', wake) > 0

  -- The row last: a step that is refused half-way, by a missing permission, leaves no row to be a duplicate of.
  redis.call('ZADD', pending, 0, id)
  redis.call('HSET', row, 'state', 'pending', 'attempts', '0', 'payload', payload)
  occupied = true
  if first and not awake then
    redis.call('LPUSH', wake, '1')
  end
end
