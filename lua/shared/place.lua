-- Where a job that its holder settles is now: 'active', or still waiting ('lane', 'pending') after its lease was
-- reaped; nil when it is anywhere else, which means that the holder is not the holder any more.
local function place_of(base, id, group)
  if redis.call('ZSCORE', base .. 'active', id) then
    return 'active'
  end
  if group and redis.call('ZSCORE', base .. 'g:' .. group .. ':pending', id) then
    return 'lane'
  end
  if redis.call('ZSCORE', base .. 'pending', id) then
    return 'pending'
  end
  return nil
end

-- The last write of a settle to what decides where the job is: when a step is refused half-way, by a missing
-- permission, no job is in no set.
local function take_out(base, id, group, place)
  local from = base .. 'active'
  if place == 'lane' then
    from = base .. 'g:' .. group .. ':pending'
  elseif place == 'pending' then
    from = base .. 'pending'
  end
  redis.call('ZREM', from, id)
end

local function write_books(base, group, place, jobs)
  if place == 'active' then
    local in_flight, limit = leave_flight(base, group, jobs), limit_of(base, group)
    if in_flight < limit and limit <= in_flight + jobs
      and redis.call('ZCARD', base .. 'g:' .. group .. ':pending') > 0
      and is_open(base, group, in_flight)
    then
      ring_in(base, group)
    end
  elseif place == 'lane' and redis.call('ZCARD', base .. 'g:' .. group .. ':pending') == 0 then
    redis.call('LREM', base .. 'ring', 0, group)
  end
end

-- The last writes of a settle: a lane that was at its limit until now is served on, an empty one leaves the rota. The
-- job (or so many of the group) is settled by then, so broken books must not make it read refused.
local function keep_books(base, group, place, jobs)
  if group then
    pcall(write_books, base, group, place, jobs or 1)
  end
end

local function count(base, metric, jobs)
  redis.pcall('HINCRBY', base .. 'metrics:' .. metric, 'count', jobs)
end
