-- The rota holds a group exactly while its lane can be served: it has work, is not parked and is below its limit.
-- Steps that know what they changed never search the rota for it: a list of many lanes is long.

-- A limit that is no number is none.
local function limit_of(base, group)
  return tonumber(redis.call('HGET', base .. 'glimit', group) or '') or math.huge
end

-- Whether a lane with so many jobs in flight may be served, if it has work.
local function is_open(base, group, in_flight)
  if redis.call('SISMEMBER', base .. 'paused', group) == 1 then
    return false
  end
  return in_flight < limit_of(base, group)
end

local function in_flight_of(base, group)
  return tonumber(redis.call('HGET', base .. 'gactive', group) or '') or 0
end

-- A lane that could not be served until now takes its place at the end of the rota; a worker is woken.
local function ring_in(base, group)
  redis.call('RPUSH', base .. 'ring', group)
  if redis.call('LLEN', base .. 'wake') < 64 then
    redis.call('LPUSH', base .. 'wake', '1')
  end
end

-- The same for a lane of which nobody knows whether it is in the rota already.
local function ring_again(base, group, in_flight)
  if redis.call('ZCARD', base .. 'g:' .. group .. ':pending') > 0
    and is_open(base, group, in_flight)
    and not redis.call('LPOS', base .. 'ring', group)
  then
    ring_in(base, group)
  end
end

-- The same for a lane that a job came back to; `was_out` when it surely was not in the rota. Else it should be where it
-- is, and is looked for only in a rota that is not long.
local function ring_back(base, group, in_flight, was_out)
  if was_out then
    if is_open(base, group, in_flight) then
      ring_in(base, group)
    end
  elseif redis.call('LLEN', base .. 'ring') <= 1000 then
    ring_again(base, group, in_flight)
  end
end

-- So many jobs of the group (one if nothing is said) are in flight no longer; returns how many still are.
local function leave_flight(base, group, jobs)
  local in_flight = redis.call('HINCRBY', base .. 'gactive', group, -(jobs or 1))
  if in_flight <= 0 then
    redis.call('HDEL', base .. 'gactive', group)
    return 0
  end
  return in_flight
end
