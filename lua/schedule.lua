--[[
schedule: a new job waits for its time; a known id changes nothing.

KEYS   1 row       hash    the job
       2 schedule  zset    job id -> due time, server ms
ARGV   1 id        string  JOB id
       2 payload   bytes
       3 mode      string  'at' or 'in'
       4 ms        int     'at': unix ms (past times are due at once); 'in': ms from now
BUILT  wake      list    from schedule: one token when the job is due before all others
REPLY  1                   the job is scheduled
       0                   the row exists, in whatever state; nothing was written
       EMQKIND             the id is not JOB-namespaced
       EMQARG              mode or ms is malformed
]]
local row, schedule = KEYS[1], KEYS[2]
local id, payload, mode, ms = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

-- include: number
-- include: wake
-- include: first_due

if string.sub(id, 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND a job id is JOB-namespaced')
end
ms = whole(ms)
if not ms or (mode ~= 'at' and mode ~= 'in') then
  return redis.error_reply("EMQARG mode is 'at' or 'in' and ms a whole number")
end
if redis.call('EXISTS', row) == 1 then
  redis.call('HLEN', row) -- a key that is not a row is an error, not a duplicate
  return 0
end
redis.call('ZCARD', schedule) -- not a zset: refused before anything is written

-- include: clock

-- The row last: a step that is refused half-way, by a missing permission, leaves no row to be a duplicate of.
redis.call('ZADD', schedule, digits(mode == 'in' and now + ms or ms), id)
redis.call('HSET', row, 'state', 'scheduled', 'attempts', '0', 'payload', payload)
local base = string.sub(schedule, 1, -9)
wake_if_first(base, schedule, id)
return 1
