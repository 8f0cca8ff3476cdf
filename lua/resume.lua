--[[
resume: claims of this queue hand out jobs again.

KEYS   1 meta     hash    `paused`
       2 pending  zset    waiting jobs
ARGV   1 base     string  emq:{q}:
BUILT  ring       list    rota of groups that can be served
       wake       list    one token when something waits
REPLY  1                  resumed
]]
local meta, pending = KEYS[1], KEYS[2]
local base = ARGV[1]

-- include: wake

redis.call('HDEL', meta, 'paused')
if redis.call('ZCARD', pending) > 0 or redis.call('LLEN', base .. 'ring') > 0 then
  wake(base)
end
return 1
