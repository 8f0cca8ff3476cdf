--[[
lane_enqueue: a new job waits in the lane of its group; a known id changes nothing.

KEYS   1 row      hash    the job
       2 lane     zset    the group's waiting jobs, all at score 0
ARGV   1 id       string  JOB id
       2 payload  bytes
       3 group    string  branded id
       4 base     string  emq:{q}:
BUILT  g:<group>:pending zset the lane, by its name
       gactive    hash    in-flight count of the group
       glimit     hash    limit of the group
       paused     set     parked groups
       ring       list    rota of groups that can be served
       wake       list    one token when the lane comes into the rota
REPLY  1                  the job waits
       0                  the row exists, in whatever state; nothing was written
       EMQKIND            the id is not JOB-namespaced
]]
local row, lane = KEYS[1], KEYS[2]
local id, payload, group, base = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

-- include: lane

if string.sub(id, 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND a job id is JOB-namespaced')
end
if redis.call('EXISTS', row) == 1 then
  redis.call('HLEN', row) -- a key that is not a row is an error, not a duplicate
  return 0
end

-- A lane that had work stays where it is, in the rota or out of it. All that may be of a wrong type is read first.
local opens = redis.call('ZCARD', lane) == 0 and is_open(base, group, in_flight_of(base, group))
if opens then
  redis.call('LLEN', base .. 'ring')
  redis.call('LLEN', base .. 'wake')
end

-- The rota first, the row last: a step that is refused half-way, by a missing permission, leaves no lane that is not
-- served, and no row to be a duplicate of.
if opens then
  ring_in(base, group)
end
redis.call('ZADD', lane, 0, id)
redis.call('HSET', row, 'state', 'pending', 'attempts', '0', 'payload', payload, 'group', group)
return 1
