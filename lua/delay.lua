--[[
delay: the holder gives the job back for a while; its token is spent, its lane free, and the attempt does not count.

KEYS   1 active     zset    job id -> lease deadline, server ms
       2 schedule   zset    job id -> due time, server ms
       3 row        hash    the job
ARGV   1 id         string
       2 token      int     the fence returned by the claim
       3 delay      int     ms from now, 0 or more
       4 base       string  emq:{q}:
BUILT  pending      zset    where the id waits again after its lease was reaped
       g:<group>:pending zset the same for a job with a group
       gactive      hash    in-flight count of the group
       glimit       hash    limit of the group
       paused       set     parked groups
       ring         list    rota of groups that can be served
       wake         list    one token when the group comes back into the rota, or the job is due at once or first
REPLY  1                    the job waits for its time
       0                    no row
       EMQSTALE             a later claim holds it, or it is neither in flight nor waiting
       EMQARG               delay is malformed
]]
local active, schedule, row = KEYS[1], KEYS[2], KEYS[3]
local id, token, delay, base = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

-- include: number
-- include: wake
-- include: first_due
-- include: lane
-- include: place

delay = whole(delay)
if not delay then
  return redis.error_reply('EMQARG a delay is a whole number of ms')
end
local job = redis.call('HMGET', row, 'attempts', 'group', 'uncounted', 'spent')
local attempts, group, uncounted = job[1], job[2], job[3]
if not attempts then
  return 0
end
if attempts ~= token or token == '0' or token == job[4] then
  return redis.error_reply('EMQSTALE a later claim holds the job, or this one was settled')
end
local place = place_of(base, id, group)
if not place then
  return redis.error_reply('EMQSTALE the job is neither in flight nor waiting')
end
redis.call('ZCARD', schedule) -- not a zset: refused before anything is written

-- include: clock

-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
redis.call('PERSIST', row)
local passed = digits((whole(uncounted) or 0) + 1)
redis.call('HSET', row, 'state', 'scheduled', 'uncounted', passed, 'spent', token)
redis.call('ZADD', schedule, digits(now + delay), id)
take_out(base, id, group, place)
keep_books(base, group, place)
if delay == 0 then
  wake(base)
else
  wake_if_first(base, schedule, id)
end
return 1
