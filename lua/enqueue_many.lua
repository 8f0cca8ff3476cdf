--[[
enqueue_many: enqueue for each of many jobs, one after the other; what one is refused for costs the others nothing.

No write is put off to the end: were it refused there, the jobs before it would have rows and wait nowhere.

KEYS   1 pending  zset    waiting jobs, all at score 0
       2 base     string  emq:{q}:
ARGV   1.. id, payload    pairs: a JOB id, and bytes
BUILT  job:<id>   hash    the job
       wake       list    from pending: one token when nothing waited before
REPLY  {verdict ...}      one for each pair, in input order; a server's own error on one is its verdict
       1                  the job waits
       0                  the row exists, in whatever state; nothing was written
       EMQKIND            the id is not JOB-namespaced
]]
local pending, base = KEYS[1], KEYS[2]

-- include: known
-- include: admit
-- include: trouble
-- include: fared

local function enqueue(id, payload)
  if string.sub(id, 1, 3) ~= 'JOB' then
    return redis.error_reply('EMQKIND a job id is JOB-namespaced')
  end
  local row = base .. 'job:' .. id
  if is_known(row) then
    return 0
  end
  admit(row, pending, id, payload)
  return 1
end

local verdicts = {}
for at = 1, #ARGV, 2 do
  verdicts[#verdicts + 1] = fared(pcall(enqueue, ARGV[at], ARGV[at + 1]))
end
return verdicts
