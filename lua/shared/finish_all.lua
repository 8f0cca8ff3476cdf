local function write_all(base, ids, groups)
  local rows, flown = {}, {}
  for at = 1, #ids do
    local id, group = ids[at], groups[at]
    rows[2 * at - 1], rows[2 * at] = base .. 'job:' .. id, base .. 'job:' .. id .. ':logs'
    if group then
      flown[group] = (flown[group] or 0) + 1
    end
  end
  redis.call('DEL', unpack(rows))
  redis.call('ZREM', base .. 'active', unpack(ids))
  for group, jobs in pairs(flown) do
    keep_books(base, group, 'active', jobs)
  end
end

-- Finish jobs that are in flight, with the groups that they have, or false: all rows, then all leases, then the books of
-- each group once. Where that is refused, each is finished on its own; returns the errors of those that are not.
local function finish_all(base, ids, groups)
  local failed, whole = {}, pcall(write_all, base, ids, groups)
  for at = 1, whole and 0 or #ids do
    local done, broken = pcall(finish, base, ids[at], groups[at], 'active')
    failed[at] = not done and (trouble(broken) or { err = tostring(broken) }) or nil
  end
  return failed
end
