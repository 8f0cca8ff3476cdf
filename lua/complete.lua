--[[
complete: the holder is done; the job leaves the queue and its row is deleted.

KEYS   1 active     zset    job id -> lease deadline, server ms
       2 row        hash    the job
ARGV   1 id         string
       2 token      int     the fence returned by the claim
       3 base       string  emq:{q}:
BUILT  job:<id>     hash    the job, by its name
       job:<id>:logs list   its log goes with it
       pending      zset    where the id waits again after its lease was reaped
       g:<group>:pending zset the same for a job with a group
       gactive      hash    in-flight count of the group
       glimit       hash    limit of the group
       paused       set     parked groups
       ring         list    rota of groups that can be served
       wake         list    one token when the group comes back into the rota
       metrics:completed hash the count
REPLY  1                    completed
       0                    no row
       EMQSTALE             a later claim holds it, or it is neither in flight nor waiting
       EMQFLOW              the job belongs to a flow; nothing was written
]]
local active, row = KEYS[1], KEYS[2]
local id, token, base = ARGV[1], ARGV[2], ARGV[3]

-- include: lane
-- include: place
-- include: finish

local job = redis.call('HMGET', row, 'attempts', 'group', 'parent', 'spent')
local attempts, group, parent = job[1], job[2], job[3]
if not attempts then
  return 0
end
if attempts ~= token or token == '0' or token == job[4] then
  return redis.error_reply('EMQSTALE a later claim holds the job, or this one was settled')
end
if parent then
  return redis.error_reply('EMQFLOW the job belongs to a flow, whose parent would never be released')
end
local place = place_of(base, id, group)
if not place then
  return redis.error_reply('EMQSTALE the job is neither in flight nor waiting')
end

finish(base, id, group, place)
count(base, 'completed', 1)
return 1
