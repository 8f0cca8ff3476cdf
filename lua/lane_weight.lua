--[[
lane_weight: a turn of this lane is so many jobs from now on; 1 is what a lane without a weight has.

KEYS   1 gweight  hash    jobs a turn
ARGV   1 group    string  branded id
       2 weight   int     1 to 1000
REPLY  1                  set
       EMQARG             weight is malformed
]]
local gweight = KEYS[1]
local group, weight = ARGV[1], ARGV[2]

-- include: number

weight = positive(weight)
if not weight or weight > 1000 then
  return redis.error_reply('EMQARG a weight is a whole number from 1 to 1000')
end
if weight == 1 then
  redis.call('HDEL', gweight, group)
else
  redis.call('HSET', gweight, group, digits(weight))
end
return 1
