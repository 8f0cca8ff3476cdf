-- Hand out members of a waiting set: each job is appended to `served`, as {id, payload, attempts, group, uncounted}.
-- Members without a row are dropped; returns how many. They leave the set last: when a step is refused half-way, by a
-- missing permission, no job is in no set.
local function hand_out(base, set, active, deadline, members, served)
  local leases, flying, before = { active }, {}, #served
  for at = 1, #members do
    local id = members[at]
    local row = job_row(base, id)
    if row then
      local attempts = digits(tonumber(row[2]) + 1)
      redis.call('HSET', base .. 'job:' .. id, 'state', 'active', 'attempts', attempts)
      leases[#leases + 1] = deadline
      leases[#leases + 1] = id
      if row[3] then
        flying[row[3]] = (flying[row[3]] or 0) + 1
      end
      served[#served + 1] = { id, row[4], attempts, row[3] or '', row[5] or '' }
    end
  end
  if #leases > 1 then
    redis.call('ZADD', unpack(leases))
  end
  redis.call('ZREM', set, unpack(members))
  for group, count in pairs(flying) do
    redis.pcall('HINCRBY', base .. 'gactive', group, count)
  end
  return #members - (#served - before), flying
end
