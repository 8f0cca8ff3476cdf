--[[
pause: claims of this queue hand out nothing until it is resumed.

KEYS   1 meta     hash    `paused`
REPLY  1                  paused
]]
local meta = KEYS[1]

redis.call('HSET', meta, 'paused', '1')
return 1
