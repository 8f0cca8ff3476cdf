--[[
dead_purge: jobs that died before a moment are gone, row and log.

When a job died is in its row; one that a foreign client buried has no such field and is as old as its id.

KEYS   1 dead       zset    dead jobs, all at score 0
ARGV   1 base       string  emq:{q}:
       2 before     int     unix ms
       3 first      string  the eleven base62 digits of the first id minted then
       4 after      string  go on after this id; '' at the beginning
       5 limit      int     look at so many, 1 to 1000
BUILT  job:<id>     hash    dead_at
       job:<id>:logs list   its log goes with it
REPLY  {removed, looked, last}  how many are gone, how many were looked at, the last id of these
       EMQARG               before or limit is malformed
]]
local dead = KEYS[1]
local base, before, first, after, limit = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

-- include: number
-- include: branded

before, limit = whole(before), positive(limit)
if not before or not limit or limit > 1000 then
  return redis.error_reply('EMQARG a moment is a whole number of ms, a limit one from 1 to 1000')
end

local from = after == '' and '-' or '(' .. after
local members = redis.call('ZRANGEBYLEX', dead, from, '+', 'LIMIT', 0, digits(limit))
local removed = 0
for at = 1, #members do
  local id = members[at]
  local died = branded(id) and redis.pcall('HGET', base .. 'job:' .. id, 'dead_at')
  local old = not branded(id) or string.sub(id, 4) < first
  if type(died) == 'string' then
    old = (whole(died) or 0) < before
  end
  if old then
    if branded(id) then
      redis.call('DEL', base .. 'job:' .. id, base .. 'job:' .. id .. ':logs')
    end
    redis.call('ZREM', dead, id)
    removed = removed + 1
  end
end
return { removed, #members, members[#members] or '' }
