-- Make rows of members of a waiting set those of jobs in flight: each job is appended to `served`, as {id, payload,
-- attempts, group, uncounted}, and to `leases`; `flying` counts them by their groups. Returns how many have no row.
local function take_up(base, deadline, members, served, leases, flying)
  local before = #served
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
  return #members - (#served - before)
end

-- Their leases, before they leave the set that they wait in: when a step is refused half-way, by a missing permission,
-- no job is in no set.
local function hold(active, leases)
  if #leases > 0 then
    redis.call('ZADD', active, unpack(leases))
  end
end
