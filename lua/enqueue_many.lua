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
-- include: unknown
-- include: admit
-- include: trouble
-- include: each

local words, rows, count = ARGV, {}, #ARGV / 2
for at = 1, count do
  local id = words[2 * at - 1]
  rows[at] = base .. 'job:' .. id
end
-- Where none of them has a row, one gets a row in this call alone: when it is in it twice, and that shows when it is
-- admitted.
local unknown = none_known(rows)

local function enqueue(at)
  local id, row = words[2 * at - 1], rows[at]
  if string.sub(id, 1, 3) ~= 'JOB' then
    return redis.error_reply('EMQKIND a job id is JOB-namespaced')
  end
  if not unknown and is_known(row) then
    return 0
  end
  if not admit(row, pending, id, words[2 * at]) then
    return 0
  end
  return 1
end

local verdicts = each(count, enqueue)
return verdicts
