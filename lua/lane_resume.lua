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

local opens = redis.call('ZCARD', lane) > 0
  and in_flight_of(base, group) < limit_of(base, group)
  and not redis.call('LPOS', base .. 'ring', group)
-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
redis.call('PERSIST', paused)
-- The rota first: a step that is refused half-way, by a missing permission, leaves no lane that is not served.
if opens then
  ring_in(base, group)
end
if redis.call('SREM', paused, group) == 0 then
  return 0
end
return 1
