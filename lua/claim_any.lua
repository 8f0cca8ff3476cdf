--[[
claim_any: half of what is asked for comes from the lanes in turn, half from pending; what one side lacks, the other gives.

KEYS   1 pending    zset    waiting jobs without a lane, all at score 0
       2 ring       list    rota of groups that can be served
       3 active     zset    job id -> lease deadline, server ms
ARGV   1 base       string  emq:{q}:
       2 lease      int     ms from now
       3 size       int     at most this many jobs, 1 to 1000
       4 first      string  who gets the odd one: 'lanes' or 'pending'
BUILT  job:<id>     hash    state, and attempts, which is the token
       meta         hash    `paused` stops claims
       g:<group>:pending zset the lane
       paused       set     parked groups
       glimit       hash    limit of the group
       gactive      hash    in-flight count of the group
       gweight      hash    jobs a turn
       turn         string  the turn that was cut short: what is left of it, and whose it is
       metrics:dropped hash members that had no row
       schedule     zset    asked whether anything will come up
       wake         list    one token when work is left and nobody was told, none when there is no work
REPLY  {{id, payload, attempts, group, uncounted} ...}  served, lanes first; without the last two where both are ''
       {}                   paused
       n                    none served after n looks in vain (0: nothing waits; 1000 or more: ask again)
       EMQARG               lease, size or first is malformed
]]
local pending, ring, active = KEYS[1], KEYS[2], KEYS[3]
local base, lease, size, first = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

-- include: number
-- include: branded
-- include: row
-- include: hand
-- include: wake
-- include: pass_on
-- include: serve
-- include: turns

lease, size = positive(lease), positive(size)
if not lease or not size or size > 1000 or (first ~= 'lanes' and first ~= 'pending') then
  return redis.error_reply("EMQARG lease and size (to 1000) are whole numbers above 0, first is 'lanes' or 'pending'")
end
if redis.call('HGET', base .. 'meta', 'paused') then
  return {}
end
redis.call('ZCARD', active) -- not a zset: refused before anything is written
-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
redis.call('PERSIST', active)

-- include: clock

local served = {}
local deadline, vain, for_lanes = digits(now + lease), 0, size
if redis.call('ZCARD', pending) > 0 then
  for_lanes = first == 'lanes' and math.ceil(size / 2) or math.floor(size / 2)
end
local lanes_wait = redis.call('LLEN', ring) > 0
if lanes_wait and for_lanes > 0 then
  vain = serve_lanes(base, ring, active, deadline, for_lanes, served, false)
end
if #served < size then
  vain = vain + serve(base, pending, active, deadline, size - #served, served)
end
if lanes_wait and #served < size then
  vain = vain + serve_lanes(base, ring, active, deadline, size - #served, served, false)
end
pass_on(base)
if #served == 0 then
  return vain
end
return served
