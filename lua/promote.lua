--[[
promote: scheduled jobs whose time has come wait to be claimed, each in its lane or in pending.

One that belongs into a key that is no lane stays, and the step ends with the server's WRONGTYPE, after the others moved.

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
REPLY  {moved, dropped, ms} how many wait now, how many had no row; ms until the next is due, a day at most, -1: none is left
       EMQARG               limit is malformed
]]
local schedule, pending = KEYS[1], KEYS[2]
local base, limit = ARGV[1], ARGV[2]

-- include: number
-- include: branded
-- include: row
-- include: wake
-- include: lane

limit = positive(limit)
if not limit or limit > 1000 then
  return redis.error_reply('EMQARG a limit is a whole number from 1 to 1000')
end
-- include: clock

local due = redis.call('ZRANGEBYSCORE', schedule, '-inf', digits(now), 'LIMIT', 0, digits(limit))
-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
if #due > 0 then
  redis.call('PERSIST', schedule)
end
-- The rota first, the set it leaves last: when the step is refused half-way, by a missing permission, no job is in no
-- set, and none in a lane that is not served.
local moved, dropped, flat, broken = 0, 0, false, nil
for at = 1, #due do
  local id = due[at]
  local row = job_row(base, id)
  local group = row and row[2]
  local waits_in = group and base .. 'g:' .. group .. ':pending' or pending
  local waiting = redis.pcall('ZCARD', waits_in)
  if type(waiting) == 'table' then
    broken = broken or waiting -- not a zset: this job stays where it is, the others move
  elseif row then
    if group and waiting == 0 then
      ring_back(base, group, in_flight_of(base, group), true)
    end
    redis.call('ZADD', waits_in, 0, id)
    redis.call('HSET', base .. 'job:' .. id, 'state', 'pending')
    redis.call('ZREM', schedule, id)
    moved, flat = moved + 1, flat or not group
  else
    redis.call('ZREM', schedule, id)
    dropped = dropped + 1
  end
end
count_dropped(base, dropped)
if flat then
  wake(base)
end
if broken then
  return broken
end
local head = redis.call('ZRANGE', schedule, 0, 0, 'WITHSCORES')
local left = head[2] and math.min(math.max(0, tonumber(head[2]) - now), 86400000) or -1
return { moved, dropped, left }
