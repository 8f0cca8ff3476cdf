-- The row of a member as attempts, group, payload, uncounted; nil when there is no such job, or its attempts are
-- no number that anybody could hold as a token. A group that is no branded id is none.
local function job_row(base, id)
  if not branded(id) then
    return nil
  end
  local row = redis.pcall('HMGET', base .. 'job:' .. id, 'attempts', 'group', 'payload', 'uncounted')
  if row.err then
    if redis.call('TYPE', base .. 'job:' .. id).ok == 'hash' then
      redis.call('HMGET', base .. 'job:' .. id, 'state') -- not allowed: the whole step is refused
    end
    return nil
  end
  local attempts = row[1] or ''
  if not row[3] or (attempts ~= '0' and not string.find(attempts, '^%d+$')) or #attempts > 15 then
    return nil
  end
  row[2] = row[2] and branded(row[2]) and row[2] or false
  row[4] = row[4] and whole(row[4]) and row[4] or false
  return row
end

-- Count members that were in a set without a row to serve.
local function count_dropped(base, dropped)
  if dropped > 0 then
    redis.pcall('HINCRBY', base .. 'metrics:dropped', 'count', dropped)
  end
end
