--[[
lane_unlimit: any number of jobs of a group may be in flight again.

KEYS   1 glimit   hash    limit of the group
       2 lane     zset    the group's waiting jobs, all at score 0
ARGV   1 group    string  branded id
       2 base     string  emq:{q}:
BUILT  g:<group>:pending zset the lane, by its name
       gactive    hash    in-flight count of the group
       paused     set     parked groups
       ring       list    rota of groups that can be served
       wake       list    one token when the lane comes into the rota
REPLY  1                  unlimited
       0                  it had no limit
]]
local glimit, lane = KEYS[1], KEYS[2]
local group, base = ARGV[1], ARGV[2]

-- include: lane

redis.call('ZCARD', lane) -- not a zset: refused before anything is written
redis.call('HLEN', glimit) -- not a hash: the same
-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
redis.call('PERSIST', glimit)
-- The rota first: a step that is refused half-way, by a missing permission, leaves no lane that is not served.
ring_again(base, group, -1)
if redis.call('HDEL', glimit, group) == 0 then
  return 0
end
return 1
