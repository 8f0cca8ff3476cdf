--[[
enqueue: a new job waits; a known id changes nothing.

KEYS   1 row      hash    the job
       2 pending  zset    waiting jobs, all at score 0
ARGV   1 id       string  JOB id
       2 payload  bytes
BUILT  wake       list    from pending: one token when nothing waited before
REPLY  1                  the job waits
       0                  the row exists, in whatever state; nothing was written
       EMQKIND            the id is not JOB-namespaced
]]
local row, pending = KEYS[1], KEYS[2]
local id, payload = ARGV[1], ARGV[2]

-- include: known
-- include: admit

if string.sub(id, 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND a job id is JOB-namespaced')
end
if is_known(row) then
  return 0
end
admit(row, pending, id, payload)
return 1
