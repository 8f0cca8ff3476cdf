--[[
lane_enqueue_many: lane_enqueue for each of many jobs, one after the other; what one is refused for costs the others
nothing.

KEYS   1 ring     list    rota of groups that can be served
       2 base     string  emq:{q}:
ARGV   1.. group, id, payload  triples: a branded id, a JOB id, and bytes
BUILT  job:<id>   hash    the job
       g:<group>:pending zset the lane
       gactive    hash    in-flight count of the group
       glimit     hash    limit of the group
       paused     set     parked groups
       wake       list    one token when a lane comes into the rota
REPLY  {verdict ...}      one for each triple, in input order; a server's own error on one is its verdict
       1                  the job waits
       0                  the row exists, in whatever state; nothing was written
       EMQKIND            the id is not JOB-namespaced
]]
local ring, base = KEYS[1], KEYS[2]

-- include: lane
-- include: known
-- include: unknown
-- include: lane_admit
-- include: trouble
-- include: each

local rows = {}
for at = 2, #ARGV, 3 do
  local id = ARGV[at]
  rows[#rows + 1] = base .. 'job:' .. id
end
-- Where none of them has a row, one gets a row in this call alone: when it is in it twice.
local unknown, met = none_known(rows), {}

local function enqueue(at)
  local group, id, payload, row = ARGV[3 * at - 2], ARGV[3 * at - 1], ARGV[3 * at], rows[at]
  if string.sub(id, 1, 3) ~= 'JOB' then
    return redis.error_reply('EMQKIND a job id is JOB-namespaced')
  end
  if (met[row] or not unknown) and is_known(row) then
    return 0
  end
  met[row] = true
  admit(base, row, base .. 'g:' .. group .. ':pending', id, payload, group)
  return 1
end

local verdicts = each(#rows, enqueue)
return verdicts
