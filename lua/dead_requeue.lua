--[[
dead_requeue: a dead job waits again, in the lane it came from, with all its attempts before it; its history stays.

KEYS   1 dead       zset    dead jobs, all at score 0
       2 row        hash    the job
ARGV   1 id         string
       2 base       string  emq:{q}:
BUILT  pending      zset    where it waits without a group
       g:<group>:pending zset where it waits with one
       gactive      hash    in-flight count of the group
       glimit       hash    limit of the group
       paused       set     parked groups
       ring         list    rota of groups that can be served
       wake         list    one token when something became ready
REPLY  1                    it waits
       0                    no row
       EMQSTATE             it is not dead
]]
local dead, row = KEYS[1], KEYS[2]
local id, base = ARGV[1], ARGV[2]

-- include: branded
-- include: wake
-- include: lane

local job = redis.call('HMGET', row, 'attempts', 'group')
local attempts, group = job[1], job[2]
if not attempts then
  return 0
end
if not redis.call('ZSCORE', dead, id) then
  return redis.error_reply('EMQSTATE the job is not dead')
end
group = group and branded(group) and group
local waits_in = group and base .. 'g:' .. group .. ':pending' or base .. 'pending'
local was_empty = redis.call('ZCARD', waits_in) == 0 -- not a zset: refused before anything is written
local in_flight = group and in_flight_of(base, group)

-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
redis.call('PERSIST', dead)
-- The rota first, the set it leaves last: refused half-way, by a missing permission, no job is in no set.
if group then
  ring_back(base, group, in_flight, was_empty)
else
  wake(base)
end
redis.call('ZADD', waits_in, 0, id)
redis.call('HSET', row, 'state', 'pending', 'uncounted', attempts)
redis.call('HDEL', row, 'last_error', 'dead_at')
redis.call('ZREM', dead, id)
return 1
