--[[
claim: the oldest waiting job is handed out under a lease and a fresh fencing token.

KEYS   1 pending    zset    waiting jobs, all at score 0
       2 active     zset    job id -> lease deadline, server ms
ARGV   1 base       string  emq:{q}:
       2 lease      int     ms from now
BUILT  job:<id>     hash    state, and attempts, which is the token
       meta         hash    `paused` stops claims
       gactive      hash    a waiting job with a group counts as in flight there
       glimit       hash    limit of the group
       ring         list    a group at its limit leaves the rota
       metrics:dropped hash members that had no row
       schedule     zset    asked whether anything will come up
       wake         list    one token when work is left and nobody was told, none when there is no work
REPLY  {id, payload, attempts, group, uncounted}  served; without the last two where both are ''
       {}                   paused
       n                    none served; n members without a row were dropped (0: nothing waits; 1000 or more: ask again)
       EMQARG               lease is malformed
]]
local pending, active = KEYS[1], KEYS[2]
local base, lease = ARGV[1], ARGV[2]

-- include: number
-- include: branded
-- include: row
-- include: hand
-- include: wake
-- include: pass_on
-- include: serve

lease = positive(lease)
if not lease then
  return redis.error_reply('EMQARG a lease is a whole number of ms above 0')
end
if redis.call('HGET', base .. 'meta', 'paused') then
  return {}
end
redis.call('ZCARD', active) -- not a zset: refused before anything is written
-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
redis.call('PERSIST', active)

-- include: clock

local served = {}
local dropped = serve(base, pending, active, digits(now + lease), 1, served)
pass_on(base)
if #served == 0 then
  return dropped
end
return served[1]
