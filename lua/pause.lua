--[[
pause: claims of this queue hand out nothing until it is resumed.

KEYS   1 meta     hash    `paused`
REPLY  1                  paused
]]
local meta = KEYS[1]

-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
redis.call('PERSIST', meta)
redis.call('HSET', meta, 'paused', '1')
return 1
