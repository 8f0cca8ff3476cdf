--[[
drain: jobs that wait in one set are removed, rows and all; those of flows stay.

KEYS   1 source     zset    pending or schedule
ARGV   1 base       string  emq:{q}:
       2 skip       int     members to leave aside, 0 or more
       3 limit      int     at most this many, 1 to 1000
BUILT  job:<id>     hash    the job
       job:<id>:logs list   its log
REPLY  {removed, kept}      how many are gone, how many belong to a flow and stay
       EMQARG               skip or limit is malformed
]]
local source = KEYS[1]
local base, skip, limit = ARGV[1], ARGV[2], ARGV[3]

-- include: number
-- include: branded
-- include: empty

skip, limit = whole(skip), positive(limit)
if not skip or not limit or limit > 1000 then
  return redis.error_reply('EMQARG skip is a whole number, a limit one from 1 to 1000')
end
local removed, kept = empty(base, source, skip, limit)
return { removed, kept }
