--[[
lane_reassign: a job that is not in flight belongs to another lane; one that waits, waits there.

KEYS   1 row      hash    the job
       2 lane     zset    the waiting jobs of the group it goes to
ARGV   1 id       string
       2 group    string  the group it goes to
       3 base     string  emq:{q}:
BUILT  active     zset    in flight: its group stays
       pending    zset    where a job without a lane waits
       g:<source>:pending zset the lane it leaves
       g:<group>:pending zset the lane it goes to, by its name
       gactive    hash    in-flight count of the group
       glimit     hash    limit of the group
       paused     set     parked groups
       ring       list    rota of groups that can be served
       wake       list    one token when the lane comes into the rota
REPLY  1                  it belongs to the group now
       0                  it did already
       -1                 no row
       EMQSTATE           it is in flight
]]
local row, lane = KEYS[1], KEYS[2]
local id, group, base = ARGV[1], ARGV[2], ARGV[3]

-- include: lane

local job = redis.call('HMGET', row, 'state', 'group')
local state, source = job[1], job[2]
if not state then
  return -1
end
if source == group then
  return 0
end
if redis.call('ZSCORE', base .. 'active', id) then
  return redis.error_reply('EMQSTATE the job is in flight')
end
local was_empty = redis.call('ZCARD', lane) == 0 -- not a zset: refused before anything is written
local in_flight = in_flight_of(base, group)

local waits = redis.call('ZSCORE', base .. 'pending', id)
  or (source and redis.call('ZSCORE', base .. 'g:' .. source .. ':pending', id))
-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
redis.call('PERSIST', row)
-- The rota first, the set it leaves last: when the step is refused half-way, by a missing permission, no job is in no
-- set, and none in a lane that is not served.
if waits then
  ring_back(base, group, in_flight, was_empty)
end
redis.call('HSET', row, 'group', group)
if waits then
  redis.call('ZADD', lane, 0, id)
end
redis.call('ZREM', base .. 'pending', id)
if source then
  redis.call('ZREM', base .. 'g:' .. source .. ':pending', id)
  if redis.call('ZCARD', base .. 'g:' .. source .. ':pending') == 0 then
    redis.call('LREM', base .. 'ring', 0, source)
  end
end
return 1
