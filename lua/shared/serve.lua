-- A waiting job that has a group is in flight there from now on. An error here would lose what was popped.
local function join_flight(base, group)
  local in_flight = redis.pcall('HINCRBY', base .. 'gactive', group, 1)
  local limit = redis.pcall('HGET', base .. 'glimit', group)
  if type(in_flight) == 'number' and type(limit) == 'string' and in_flight >= tonumber(limit) then
    redis.pcall('LREM', base .. 'ring', 0, group)
  end
end

-- Hand out up to `size` waiting jobs; members without a row are dropped and counted. Returns the served jobs as
-- {id, payload, attempts, group}, or how many members were dropped when none of a bounded look was a job.
local function serve(base, pending, active, deadline, size)
  local served, leases, dropped = {}, { active }, 0
  while #served < size and dropped < 1000 do
    local popped = redis.call('ZPOPMIN', pending, size - #served)
    if #popped == 0 then
      break
    end
    for at = 1, #popped, 2 do
      local id = popped[at]
      local row = job_row(base, id)
      if row then
        local attempts = digits(tonumber(row[2]) + 1)
        redis.call('HSET', base .. 'job:' .. id, 'state', 'active', 'attempts', attempts)
        leases[#leases + 1] = deadline
        leases[#leases + 1] = id
        if row[3] then
          join_flight(base, row[3])
        end
        served[#served + 1] = { id, row[4], attempts, row[3] or '' }
      else
        dropped = dropped + 1
      end
    end
  end
  count_dropped(base, dropped)
  if #served == 0 then
    return dropped
  end
  redis.call('ZADD', unpack(leases))
  if redis.call('ZCARD', pending) > 0 then
    wake(base)
  end
  return served
end
