-- Whether a member is a well-formed branded id; anything else never becomes part of a key.
local function branded(id)
  if #id ~= 14 or not string.find(id, '^[A-Z][A-Z][A-Z][0-9A-Za-z]+$') then
    return false
  end
  local highest = 'AzL8n0Y58m7'
  for at = 1, 11 do
    local digit, limit = string.byte(id, at + 3), string.byte(highest, at)
    if digit ~= limit then
      return digit < limit
    end
  end
  return true
end

-- The row of a member as state, attempts, group, payload; nil when there is no such job.
local function job_row(base, id)
  if not branded(id) then
    return nil
  end
  local row = redis.pcall('HMGET', base .. 'job:' .. id, 'state', 'attempts', 'group', 'payload')
  if row.err or not row[4] or not string.find(row[2] or '', '^%d+$') then
    return nil
  end
  return row
end

-- Count members that were in a set without a row to serve.
local function count_dropped(base, dropped)
  if dropped > 0 then
    redis.pcall('HINCRBY', base .. 'metrics:dropped', 'count', dropped)
  end
end
