-- Make rows of members of a waiting set those of jobs in flight: each job is appended to `served`, as {id, payload,
-- attempts}, with {.. group, uncounted} where there is one, and to `leases`; `flying` counts them by their groups.
-- Returns how many have no row.
local function take_up(base, deadline, members, served, leases, flying)
  local before, held, taken = #served, #leases, #served
  for at = 1, #members do
    local id = members[at]
    local row = job_row(base, id)
    if row then
      local attempts = row[1] == '0' and '1' or digits(tonumber(row[1]) + 1)
      local group, uncounted = row[2], row[4]
      redis.call('HSET', base .. 'job:' .. id, 'state', 'active', 'attempts', attempts)
      leases[held + 1], leases[held + 2] = deadline, id
      held, taken = held + 2, taken + 1
      if group then
        flying[group] = (flying[group] or 0) + 1
      end
      if group or uncounted then
        served[taken] = { id, row[3], attempts, group or '', uncounted or '' }
      else
        served[taken] = { id, row[3], attempts }
      end
    end
  end
  return #members - (taken - before)
end

-- Their leases, before they leave the set that they wait in: when a step is refused half-way, by a missing permission,
-- no job is in no set.
local function hold(active, leases)
  if #leases > 0 then
    redis.call('ZADD', active, unpack(leases))
  end
end
