--[[
lane_claim: lanes are served in turn, the oldest jobs of each, under one lease deadline and a fresh token each.

A turn is as many jobs as the lane's weight, 1 without one. No more of a lane are handed out than its limit lets.

KEYS   1 ring       list    rota of groups that can be served
       2 active     zset    job id -> lease deadline, server ms
ARGV   1 base       string  emq:{q}:
       2 lease      int     ms from now
       3 size       int     at most this many jobs, 1 to 1000
BUILT  job:<id>     hash    state, and attempts, which is the token
       meta         hash    `paused` stops claims
       g:<group>:pending zset the lane
       paused       set     parked groups
       glimit       hash    limit of the group
       gactive      hash    in-flight count of the group
       gweight      hash    jobs a turn
       turn         string  the turn that was cut short: what is left of it, and whose it is
       metrics:dropped hash members that had no row
       pending      zset    asked whether work is left
       schedule     zset    asked whether anything will come up
       wake         list    one token when work is left and nobody was told, none when there is no work
REPLY  {{id, payload, attempts, group, uncounted} ...}  served, turn by turn; uncounted may be ''
       {}                   paused
       n                    none served after n looks in vain (0: nothing waits; 1000 or more: ask again)
       EMQARG               lease or size is malformed
]]
local ring, active = KEYS[1], KEYS[2]
local base, lease, size = ARGV[1], ARGV[2], ARGV[3]

-- include: number
-- include: branded
-- include: row
-- include: hand
-- include: wake
-- include: pass_on
-- include: turns

lease, size = positive(lease), positive(size)
if not lease or not size or size > 1000 then
  return redis.error_reply('EMQARG a lease is a whole number of ms above 0, a size a whole number from 1 to 1000')
end
if redis.call('HGET', base .. 'meta', 'paused') then
  return {}
end
redis.call('ZCARD', active) -- not a zset: refused before anything is written
-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
redis.call('PERSIST', active)

-- include: clock

local served = {}
local vain = serve_lanes(base, ring, active, digits(now + lease), size, served, false)
pass_on(base)
if #served == 0 then
  return vain
end
return served
