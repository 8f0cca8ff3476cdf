--[[
retry: the holder failed; the job is scheduled again, or dead once its attempts are used up.

KEYS   1 active     zset    job id -> lease deadline, server ms
       2 schedule   zset    job id -> due time, server ms
       3 dead       zset    dead jobs, all at score 0
       4 row        hash    the job
ARGV   1 id         string
       2 token      int     the fence returned by the claim
       3 delay      int     ms from now, 0 or more
       4 max        int     attempts that count after which the job is dead, 1 or more
       5 reason     string  kept as last_error, its beginning as a line of history
       6 base       string  emq:{q}:
BUILT  pending      zset    where the id waits again after its lease was reaped
       g:<group>:pending zset the same for a job with a group
       gactive      hash    in-flight count of the group
       glimit       hash    limit of the group
       paused       set     parked groups
       ring         list    rota of groups that can be served
       wake         list    one token when the group comes back into the rota, or the job is due at once or first
       metrics:failed hash  the count
REPLY  scheduled            the job waits for its time
       dead                 the job is in the morgue
       0                    no row
       EMQSTALE             a later claim holds it, or it is neither in flight nor waiting
       EMQFLOW              the job would die and belongs to a flow; nothing was written
       EMQARG               delay or max is malformed
]]
local active, schedule, dead, row = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, token, delay, max, reason, base = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

-- include: number
-- include: wake
-- include: first_due
-- include: lane
-- include: place

-- The last ten failures, oldest first: a line each of server ms, attempt and reason.
local function chronicle(history, line)
  local lines = {}
  for old in string.gmatch(history or '', '[^\n]+') do
    lines[#lines + 1] = old
  end
  lines[#lines + 1] = line
  return table.concat(lines, '\n', math.max(1, #lines - 9))
end

delay, max = whole(delay), positive(max)
if not delay or not max then
  return redis.error_reply('EMQARG a delay is a whole number of ms, max a whole number above 0')
end
local job = redis.call('HMGET', row, 'attempts', 'group', 'parent', 'uncounted', 'history', 'spent')
local attempts, group, parent, uncounted = job[1], job[2], job[3], job[4]
if not attempts then
  return 0
end
if attempts ~= token or token == '0' or token == job[6] then
  return redis.error_reply('EMQSTALE a later claim holds the job, or this one was settled')
end
local spent = tonumber(attempts) - (whole(uncounted) or 0) >= max
if spent and parent then
  return redis.error_reply('EMQFLOW the job belongs to a flow, whose parent would never learn of its death')
end
local place = place_of(base, id, group)
if not place then
  return redis.error_reply('EMQSTALE the job is neither in flight nor waiting')
end
redis.call('ZCARD', spent and dead or schedule) -- not a zset: refused before anything is written

-- include: clock

-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
redis.call('PERSIST', row)
local line = digits(now) .. ' ' .. attempts .. ' ' .. string.gsub(string.sub(reason, 1, 200), '%c', ' ')
redis.call('HSET', row, 'last_error', reason, 'history', chronicle(job[5], line), 'spent', token)
if spent then
  redis.call('HSET', row, 'state', 'dead', 'dead_at', digits(now))
  redis.call('ZADD', dead, 0, id)
else
  redis.call('HSET', row, 'state', 'scheduled')
  redis.call('ZADD', schedule, digits(now + delay), id)
end
take_out(base, id, group, place)
if spent then
  count(base, 'failed', 1)
end
keep_books(base, group, place)
if spent then
  return 'dead'
end
if delay == 0 then
  wake(base)
else
  wake_if_first(base, schedule, id)
end
return 'scheduled'
