--[[
lane_drain: jobs that wait in a lane are removed, rows and all; those in flight and those of flows stay.

KEYS   1 lane     zset    the group's waiting jobs, all at score 0
       2 ring     list    rota of groups that can be served
ARGV   1 base     string  emq:{q}:
       2 group    string  branded id
       3 skip     int     members to leave aside, 0 or more
       4 limit    int     at most this many, 1 to 1000
BUILT  job:<id>   hash    the job
       job:<id>:logs list its log
REPLY  {removed, kept}    how many are gone, how many belong to a flow and stay
       EMQARG             skip or limit is malformed
]]
local lane, ring = KEYS[1], KEYS[2]
local base, group, skip, limit = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

-- include: number
-- include: branded
-- include: empty

skip, limit = whole(skip), positive(limit)
if not skip or not limit or limit > 1000 then
  return redis.error_reply('EMQARG skip is a whole number, a limit one from 1 to 1000')
end
redis.call('LLEN', ring) -- not a list: refused before anything is written

local removed, kept = empty(base, lane, skip, limit)
if redis.call('ZCARD', lane) == 0 then
  redis.call('LREM', ring, 0, group)
end
return { removed, kept }
