-- A new job waits in the lane of its group.
local function admit(base, row, lane, id, payload, group)
  -- A lane that had work stays where it is, in the rota or out of it. All that may be of a wrong type is read first.
  local opens = redis.call('ZCARD', lane) == 0 and is_open(base, group, in_flight_of(base, group))
  if opens then
    redis.call('LLEN', base .. 'ring')
    redis.call('LLEN', base .. 'wake')
  end

  -- The rota first, the row last: a step that is refused half-way, by a missing permission, leaves no lane that is not
  -- served, and no row to be a duplicate of.
  if opens then
    ring_in(base, group)
  end
  redis.call('ZADD', lane, 0, id)
  redis.call('HSET', row, 'state', 'pending', 'attempts', '0', 'payload', payload, 'group', group)
end
