--[[
release_node: a node id is given back; it can be leased again after a moment, when its last ids are surely past.

KEYS   1 node     string  the owner's name
ARGV   1 owner    string
       2 rest     int     ms from now during which nobody gets it
REPLY  1                  given back
       0                  it was not the owner's
       EMQARG             rest is malformed
]]
local node = KEYS[1]
local owner, rest = ARGV[1], ARGV[2]

-- include: number

rest = positive(rest)
if not rest then
  return redis.error_reply('EMQARG a rest is a whole number of ms above 0')
end
if redis.call('GET', node) ~= owner then
  return 0
end
redis.call('SET', node, 'released', 'PX', digits(rest))
return 1
