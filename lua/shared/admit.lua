local occupied = false -- nobody takes jobs out while a script runs: what was seen waiting still waits
local call = redis.call -- looked up once: there may be hundreds of jobs

-- A new job waits in `pending`; a worker is woken when nothing waited before. False, and nothing is written, when it
-- turns out to be there: a job that has a row and waits.
local function admit(row, pending, id, payload)
  -- Also asks whether pending is what it should be, before anything is written.
  local first = not occupied and call('ZCARD', pending) == 0
  local wake = first and string.sub(pending, 1, -8) .. 'wake'
  local awake = first and call('LLEN', wake) > 0

  -- The row last: a step that is refused half-way, by a missing permission, leaves no row to be a duplicate of.
  if call('ZADD', pending, '0', id) == 0 and is_known(row) then
    return false
  end
  call('HSET', row, 'state', 'pending', 'attempts', '0', 'payload', payload)
  occupied = true
  if first and not awake then
    call('LPUSH', wake, '1')
  end
  return true
end
