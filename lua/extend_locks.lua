--[[
extend_locks: every live lease of a holder moves forward, all to one deadline.

A pair is live when its row exists, the row's attempts are the token, and the id is in active; checked in that
order, all pairs before the first write. A key that is not a row counts as no row.

KEYS   1 active   zset    job id -> lease deadline, server ms
       2 base     string  emq:{q}:
ARGV   1 lease    int     ms from now
       2.. id, token      pairs: the job, and the fence returned by its claim
BUILT  job:<id>   hash    attempts
REPLY  {id ...}           the ids not extended, in input order, repeated where they were repeated
       EMQARG             lease or the shape is malformed
]]
local active, base = KEYS[1], KEYS[2]
local lease = ARGV[1]
local SLICE = 1000 -- pairs in one variadic command; unpack ends near 8,000 values

-- include: number

lease = positive(lease)
if not lease or #KEYS ~= 2 or #ARGV % 2 == 0 or active ~= base .. 'active' then
  return redis.error_reply('EMQARG takes active and its base, a lease in ms above 0, and whole (id, token) pairs')
end

-- include: clock

local deadline = digits(now + lease)
local failed, live = {}, {}
for from = 2, #ARGV, 2 * SLICE do
  local last = math.min(from + 2 * SLICE - 1, #ARGV)
  local ids = { active }
  for at = from, last, 2 do
    ids[#ids + 1] = ARGV[at]
  end
  local scores = redis.call('ZMSCORE', unpack(ids))
  for at = from, last, 2 do
    local id, token = ARGV[at], ARGV[at + 1]
    local attempts = redis.pcall('HGET', base .. 'job:' .. id, 'attempts')
    if attempts == token and scores[(at - from) / 2 + 1] then
      live[#live + 1] = deadline
      live[#live + 1] = id
    else
      failed[#failed + 1] = id
    end
  end
end
-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
if #live > 0 then
  redis.call('PERSIST', active)
end
for from = 1, #live, 2 * SLICE do
  redis.call('ZADD', active, unpack(live, from, math.min(from + 2 * SLICE - 1, #live)))
end
return failed
