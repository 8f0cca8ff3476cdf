-- A lane that can be served belongs in the rota: it has work, is not paused, and is below its limit.
local function ring_again(base, group, in_flight)
  local limit = redis.call('HGET', base .. 'glimit', group)
  if redis.call('SISMEMBER', base .. 'paused', group) == 1
    or redis.call('ZCARD', base .. 'g:' .. group .. ':pending') == 0
    or (limit and in_flight >= tonumber(limit))
    or redis.call('LPOS', base .. 'ring', group)
  then
    return
  end
  redis.call('RPUSH', base .. 'ring', group)
  redis.call('LPUSH', base .. 'wake', '1')
  redis.call('LTRIM', base .. 'wake', 0, 63)
end

-- One job of the group is in flight no longer; returns how many still are.
local function leave_flight(base, group)
  local in_flight = redis.call('HINCRBY', base .. 'gactive', group, -1)
  if in_flight <= 0 then
    redis.call('HDEL', base .. 'gactive', group)
    return 0
  end
  return in_flight
end

local function in_flight_of(base, group)
  return tonumber(redis.call('HGET', base .. 'gactive', group) or '0')
end
