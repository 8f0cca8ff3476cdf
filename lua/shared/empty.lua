-- Remove up to `limit` jobs of a set, rows and logs too, after `skip` members that stay. Jobs of flows stay.
local function empty(base, set, skip, limit)
  local members = redis.call('ZRANGE', set, digits(skip), digits(skip + limit - 1))
  local kept = 0
  for at = 1, #members do
    local id = members[at]
    local flow = branded(id) and redis.pcall('HGET', base .. 'job:' .. id, 'parent')
    if type(flow) == 'string' then
      kept = kept + 1
    else
      if branded(id) then
        redis.call('DEL', base .. 'job:' .. id, base .. 'job:' .. id .. ':logs')
      end
      redis.call('ZREM', set, id)
    end
  end
  return #members - kept, kept
end
