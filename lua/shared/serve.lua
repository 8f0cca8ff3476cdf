-- A group whose job was handed out from outside of its lane may be at its limit now, and leaves the rota then.
local function close_full(base, group)
  local limit = tonumber(redis.pcall('HGET', base .. 'glimit', group) or '')
  local in_flight = tonumber(redis.pcall('HGET', base .. 'gactive', group) or '')
  if limit and in_flight and in_flight >= limit then
    redis.pcall('LREM', base .. 'ring', 0, group)
  end
end

-- Hand out up to `size` jobs that wait in `pending`. Members without a row are dropped and counted; returns how many,
-- and stops looking after about 1,000.
local function serve(base, pending, active, deadline, size, served)
  local wanted, dropped = #served + size, 0
  while #served < wanted and dropped < 1000 do
    local members = redis.call('ZRANGE', pending, 0, wanted - #served - 1)
    if #members == 0 then
      break
    end
    local leases, flying = {}, {}
    dropped = dropped + take_up(base, deadline, members, served, leases, flying)
    hold(active, leases)
    redis.call('ZREMRANGEBYRANK', pending, 0, #members - 1) -- these, and quicker than by their names
    for group, count in pairs(flying) do
      redis.pcall('HINCRBY', base .. 'gactive', group, count)
      close_full(base, group)
    end
  end
  count_dropped(base, dropped)
  return dropped
end
