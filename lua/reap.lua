--[[
reap: jobs whose lease has lapsed wait again, each in its lane or in pending, and the lapse is counted.

One that belongs into a key that is no lane stays, and the step ends with the server's WRONGTYPE, after the others moved.

KEYS   1 active     zset    job id -> lease deadline, server ms
       2 pending    zset    waiting jobs, all at score 0
ARGV   1 base       string  emq:{q}:
       2 limit      int     at most this many, 1 to 1000
BUILT  job:<id>     hash    state, and stalled, the number of lapses
       schedule     zset    asked about members that are not in flight
       dead         zset    asked about members that are not in flight
       g:<group>:pending zset where a job with a group waits
       gactive      hash    in-flight count of the group
       glimit       hash    limit of the group
       paused       set     parked groups
       ring         list    rota of groups that can be served
       wake         list    one token when something became ready
       metrics:dropped hash members that had no row
REPLY  {moved, dropped}     how many wait again, how many were no job in flight
       EMQARG               limit is malformed
]]
local active, pending = KEYS[1], KEYS[2]
local base, limit = ARGV[1], ARGV[2]

-- include: number
-- include: branded
-- include: row
-- include: wake
-- include: lane

-- A foreign client may have put a settled job back into active; it stays where it belongs.
local function elsewhere(id, group)
  local state = redis.call('HGET', base .. 'job:' .. id, 'state')
  if state == 'scheduled' then
    return redis.call('ZSCORE', base .. 'schedule', id)
  end
  if state == 'dead' then
    return redis.call('ZSCORE', base .. 'dead', id)
  end
  if state == 'pending' then
    return redis.call('ZSCORE', pending, id)
      or (group and redis.call('ZSCORE', base .. 'g:' .. group .. ':pending', id))
  end
  return false
end

limit = positive(limit)
if not limit or limit > 1000 then
  return redis.error_reply('EMQARG a limit is a whole number from 1 to 1000')
end
-- include: clock

local lapsed = redis.call('ZRANGEBYSCORE', active, '-inf', digits(now), 'LIMIT', 0, digits(limit))
-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
if #lapsed > 0 then
  redis.call('PERSIST', active)
end
-- The rota first, the set it leaves last: when the step is refused half-way, by a missing permission, no job is in no
-- set, and none in a lane that is not served.
local moved, dropped, missing, flat, broken = 0, 0, 0, false, nil
for at = 1, #lapsed do
  local id = lapsed[at]
  local row = job_row(base, id)
  local group = row and row[2]
  local waits_in = group and base .. 'g:' .. group .. ':pending' or pending
  local waiting = redis.pcall('ZCARD', waits_in)
  if type(waiting) == 'table' then
    broken = broken or waiting -- not a zset: this job stays where it is, the others move
  elseif row and not elsewhere(id, group) then
    if group then
      local in_flight = in_flight_of(base, group) - 1
      ring_back(base, group, in_flight, waiting == 0 or in_flight == limit_of(base, group) - 1)
    end
    redis.call('ZADD', waits_in, 0, id)
    redis.call('HSET', base .. 'job:' .. id, 'state', 'pending')
    redis.call('ZREM', active, id)
    redis.pcall('HINCRBY', base .. 'job:' .. id, 'stalled', 1)
    if group then
      leave_flight(base, group)
    end
    moved, flat = moved + 1, flat or not group
  else
    redis.call('ZREM', active, id)
    dropped, missing = dropped + 1, missing + (row and 0 or 1)
  end
end
count_dropped(base, missing)
if flat then
  wake(base)
end
if broken then
  return broken
end
return { moved, dropped }
