--[[
lane_limit: no more than so many jobs of a group are in flight from now on; those that are stay.

KEYS   1 glimit   hash    limit of the group
       2 ring     list    rota of groups that can be served
ARGV   1 group    string  branded id
       2 limit    int     1 or more
       3 base     string  emq:{q}:
BUILT  g:<group>:pending zset the lane
       gactive    hash    in-flight count of the group
       paused     set     parked groups
       wake       list    one token when the lane comes into the rota
REPLY  1                  limited
       EMQARG             limit is malformed
]]
local glimit, ring = KEYS[1], KEYS[2]
local group, limit, base = ARGV[1], ARGV[2], ARGV[3]

-- include: number
-- include: lane

limit = positive(limit)
if not limit then
  return redis.error_reply('EMQARG a limit is a whole number above 0')
end
local in_flight = in_flight_of(base, group)
redis.call('LLEN', ring) -- not a list: refused before anything is written
-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
redis.call('PERSIST', glimit)
redis.call('HSET', glimit, group, digits(limit))
if in_flight >= limit then
  redis.call('LREM', ring, 0, group)
end
ring_again(base, group, in_flight)
return 1
