--[[
lane_reap: jobs of one group whose lease has lapsed wait in their lane again, and the lapse is counted.

KEYS   1 active     zset    job id -> lease deadline, server ms
       2 lane       zset    the group's waiting jobs, all at score 0
ARGV   1 base       string  emq:{q}:
       2 group      string  branded id
       3 skip       int     lapsed members to leave aside, 0 or more
       4 limit      int     look at so many, 1 to 1000
BUILT  job:<id>     hash    state, and stalled, the number of lapses
       g:<group>:pending zset the lane, by its name
       gactive      hash    in-flight count of the group
       glimit       hash    limit of the group
       paused       set     parked groups
       ring         list    rota of groups that can be served
       wake         list    one token when the lane comes back into the rota
REPLY  {moved, looked}      how many wait again, how many lapsed ones were looked at
       EMQARG               skip or limit is malformed
]]
local active, lane = KEYS[1], KEYS[2]
local base, group, skip, limit = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

-- include: number
-- include: lane

skip, limit = whole(skip), positive(limit)
if not skip or not limit or limit > 1000 then
  return redis.error_reply('EMQARG skip is a whole number, a limit one from 1 to 1000')
end
-- include: clock

redis.call('ZCARD', lane) -- not a zset: refused before anything is written
local lapsed = redis.call('ZRANGEBYSCORE', active, '-inf', digits(now), 'LIMIT', digits(skip), digits(limit))
-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
if #lapsed > 0 then
  redis.call('PERSIST', active)
end
-- The rota first, the set it leaves last: when the step is refused half-way, by a missing permission, no job is in no
-- set, and none in a lane that is not served.
local moved = 0
for at = 1, #lapsed do
  local id = lapsed[at]
  local row = redis.pcall('HMGET', base .. 'job:' .. id, 'group', 'state')
  if row[1] == group and row[2] == 'active' then
    local in_flight = in_flight_of(base, group) - 1
    local was_out = redis.call('ZCARD', lane) == 0 or in_flight == limit_of(base, group) - 1
    ring_back(base, group, in_flight, was_out)
    redis.call('ZADD', lane, 0, id)
    redis.call('HSET', base .. 'job:' .. id, 'state', 'pending')
    redis.call('ZREM', active, id)
    redis.pcall('HINCRBY', base .. 'job:' .. id, 'stalled', 1)
    leave_flight(base, group)
    moved = moved + 1
  end
end
return { moved, #lapsed }
