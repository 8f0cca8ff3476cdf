--[[
lane_resume: a parked lane is served again.

KEYS   1 paused   set     parked groups
       2 lane     zset    the group's waiting jobs, all at score 0
ARGV   1 group    string  branded id
       2 base     string  emq:{q}:
BUILT  g:<group>:pending zset the lane, by its name
       gactive    hash    in-flight count of the group
       glimit     hash    limit of the group
       ring       list    rota of groups that can be served
       wake       list    one token when the lane comes into the rota
REPLY  1                  resumed
       0                  it was not parked
]]
local paused, lane = KEYS[1], KEYS[2]
local group, base = ARGV[1], ARGV[2]

-- include: lane

redis.call('ZCARD', lane) -- not a zset: refused before anything is written
local in_flight = in_flight_of(base, group)
local was = redis.call('SREM', paused, group)
ring_again(base, group, in_flight)
if was == 0 then
  return 0
end
return 1
