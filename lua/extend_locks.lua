--[[
extend_locks: every live lease of a holder moves forward, all to one deadline.

A pair is live when its row exists, the row's attempts are the token, and the id is in active; checked in that
order, all pairs before the first write. A key that is not a row, or that the caller may not read, refuses them all.

EMQ.EXTENDS of native/emq.c is its twin: what changes here changes there.

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
-- include: trouble

lease = positive(lease)
if not lease or #KEYS ~= 2 or #ARGV % 2 == 0 or active ~= base .. 'active' then
  return redis.error_reply('EMQARG takes active and its base, a lease in ms above 0, and whole (id, token) pairs')
end

-- include: clock

local deadline = digits(now + lease)
local ask = redis.pcall
local failed, live, size = {}, {}, 0
for from = 2, #ARGV, 2 * SLICE do
  local last = math.min(from + 2 * SLICE - 1, #ARGV)
  local ids, place = { active }, 1
  for at = from, last, 2 do
    place = place + 1
    ids[place] = ARGV[at]
  end
  local scores = ask('ZMSCORE', unpack(ids))
  if scores.err then
    return trouble(scores)
  end
  place = 0
  for at = from, last, 2 do
    place = place + 1
    local id = ARGV[at]
    local attempts = ask('HGET', base .. 'job:' .. id, 'attempts')
    if attempts == ARGV[at + 1] and scores[place] then
      live[size + 1], live[size + 2] = deadline, id
      size = size + 2
    else
      local refused = trouble(attempts)
      if refused then
        return refused
      end
      failed[#failed + 1] = id
    end
  end
end
-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
local refused = size > 0 and trouble(ask('PERSIST', active))
for from = 1, size, 2 * SLICE do
  refused = refused or trouble(ask('ZADD', active, unpack(live, from, math.min(from + 2 * SLICE - 1, size))))
end
if refused then
  return refused
end
return failed
