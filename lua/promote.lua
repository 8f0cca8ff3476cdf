--[[
promote: scheduled jobs whose time has come wait to be claimed, each in its lane or in pending.

KEYS   1 schedule   zset    job id -> due time, server ms
       2 pending    zset    waiting jobs, all at score 0
ARGV   1 base       string  emq:{q}:
       2 limit      int     at most this many, 1 to 1000
BUILT  job:<id>     hash    state
       g:<group>:pending zset where a job with a group waits
       gactive      hash    in-flight count of the group
       glimit       hash    limit of the group
       paused       set     parked groups
       ring         list    rota of groups that can be served
       wake         list    one token when something became ready
       metrics:dropped hash members that had no row
REPLY  {moved, dropped}     how many wait now, how many had no row
       EMQARG               limit is malformed
]]
local schedule, pending = KEYS[1], KEYS[2]
local base, limit = ARGV[1], ARGV[2]

-- include: number
-- include: row
-- include: wake
-- include: lane

limit = positive(limit)
if not limit or limit > 1000 then
  return redis.error_reply('EMQARG a limit is a whole number from 1 to 1000')
end
-- include: clock

local due = redis.call('ZRANGEBYSCORE', schedule, '-inf', digits(now), 'LIMIT', 0, digits(limit))
local moved, flat = 0, false
for at = 1, #due do
  local id = due[at]
  local row = job_row(base, id)
  local group = row and row[3]
  local waits_in = group and base .. 'g:' .. group .. ':pending' or pending
  redis.call('ZCARD', waits_in) -- not a zset: refused before this job is touched
  redis.call('ZREM', schedule, id)
  if row then
    redis.call('HSET', base .. 'job:' .. id, 'state', 'pending')
    redis.call('ZADD', waits_in, 0, id)
    moved, flat = moved + 1, flat or not group
  end
  if group then
    ring_again(base, group, in_flight_of(base, group))
  end
end
count_dropped(base, #due - moved)
if flat then
  wake(base)
end
return { moved, #due - moved }
