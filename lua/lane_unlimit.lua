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
local in_flight = in_flight_of(base, group)
local was = redis.call('HDEL', glimit, group)
ring_again(base, group, in_flight)
if was == 0 then
  return 0
end
return 1
