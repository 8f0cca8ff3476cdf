--[[
lease_node: a node id becomes its owner's, or stays its owner's for longer.

KEYS   1 node     string  the owner's name
ARGV   1 owner    string
       2 ttl      int     ms from now
REPLY  1                  the owner has it until now + ttl
       0                  another has it
       EMQARG             ttl is malformed
]]
local node = KEYS[1]
local owner, ttl = ARGV[1], ARGV[2]

-- include: number

ttl = positive(ttl)
if not ttl then
  return redis.error_reply('EMQARG a ttl is a whole number of ms above 0')
end
local holder = redis.call('GET', node)
if holder and holder ~= owner then
  return 0
end
-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
redis.call('PERSIST', node)
redis.call('SET', node, owner, 'PX', digits(ttl))
return 1
