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

-- The first write of a settle. It only frees memory, so a server out of memory lets it and what follows through.
local function take_out(base, id, group, place)
  local from = base .. 'active'
  if place == 'lane' then
    from = base .. 'g:' .. group .. ':pending'
  elseif place == 'pending' then
    from = base .. 'pending'
  end
  redis.call('ZREM', from, id)
end

-- The last writes of a settle: the lane of a job that left is served on, or leaves the rota when it is empty.
local function keep_books(base, group, place)
  if not group then
    return
  end
  if place == 'active' then
    ring_again(base, group, leave_flight(base, group))
  elseif place == 'lane' and redis.call('ZCARD', base .. 'g:' .. group .. ':pending') == 0 then
    redis.call('LREM', base .. 'ring', 0, group)
  end
end

local function count(base, metric)
  redis.pcall('HINCRBY', base .. 'metrics:' .. metric, 'count', 1)
end
