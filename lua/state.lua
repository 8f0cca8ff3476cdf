--[[
state: where a job is, by the set that holds it.

KEYS   1 row        hash    the job
ARGV   1 id         string
       2 base       string  emq:{q}:
BUILT  pending      zset    waits
       active       zset    in flight
       schedule     zset    waits for its time
       dead         zset    dead
       g:<group>:pending zset waits in its lane
REPLY  pending              waits outside of lanes
       lane                 waits in its lane
       active               is in flight
       scheduled            waits for its time
       dead                 is dead
       awaiting_children    is the parent of a flow
       unknown              has a row and is in no set
       absent               has no row
]]
local row = KEYS[1]
local id, base = ARGV[1], ARGV[2]

local job = redis.call('HMGET', row, 'state', 'group')
local state, group = job[1], job[2]
if not state then
  return 'absent'
end
if redis.call('ZSCORE', base .. 'pending', id) then
  return 'pending'
end
if group and redis.call('ZSCORE', base .. 'g:' .. group .. ':pending', id) then
  return 'lane'
end
if redis.call('ZSCORE', base .. 'active', id) then
  return 'active'
end
if redis.call('ZSCORE', base .. 'schedule', id) then
  return 'scheduled'
end
if redis.call('ZSCORE', base .. 'dead', id) then
  return 'dead'
end
if state == 'awaiting_children' then
  return 'awaiting_children'
end
return 'unknown'
