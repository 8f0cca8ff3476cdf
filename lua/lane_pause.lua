--[[
lane_pause: a lane is parked: its jobs wait until it is resumed, those in flight go on.

KEYS   1 paused   set     parked groups
       2 ring     list    rota of groups that can be served
ARGV   1 group    string  branded id
REPLY  1                  parked
       0                  it was parked already
]]
local paused, ring = KEYS[1], KEYS[2]
local group = ARGV[1]

redis.call('LLEN', ring) -- not a list: refused before anything is written
-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
redis.call('PERSIST', paused)
local added = redis.call('SADD', paused, group)
redis.call('LREM', ring, 0, group)
if added == 0 then
  return 0
end
return 1
