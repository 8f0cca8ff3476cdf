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
-- include: known
-- include: lane_admit

if string.sub(id, 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND a job id is JOB-namespaced')
end
if is_known(row) then
  return 0
end
admit(base, row, lane, id, payload, group)
return 1
