--[[
counts: how many jobs are in each state, at one moment.

KEYS   1 pending    zset    waiting jobs without a lane
       2 active     zset    jobs in flight
       3 schedule   zset    jobs that wait for their time
       4 dead       zset    dead jobs
ARGV   1 base       string  emq:{q}:
       2 limit      int     count the jobs of at most so many lanes, 1 to 1000
BUILT  ring         list    lanes that can be served
       paused       set     lanes that are parked
       gactive      hash    lanes at their limit have jobs in flight
       g:<group>:pending zset a lane
       metrics:completed hash the count
       metrics:failed hash the count
       metrics:dropped hash the count
REPLY  {pending, active, scheduled, dead, completed, failed, dropped, in_lanes}  in_lanes is -1 with more lanes
       EMQARG               limit is malformed
]]
local pending, active, schedule, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local base, limit = ARGV[1], ARGV[2]

-- include: number

limit = positive(limit)
if not limit or limit > 1000 then
  return redis.error_reply('EMQARG a limit is a whole number from 1 to 1000')
end
local known = redis.call('LLEN', base .. 'ring')
  + redis.call('SCARD', base .. 'paused')
  + redis.call('HLEN', base .. 'gactive')
local in_lanes, seen = -1, {}
if known <= limit then
  in_lanes = 0
  local parts = {
    redis.call('LRANGE', base .. 'ring', 0, -1),
    redis.call('SMEMBERS', base .. 'paused'),
    redis.call('HKEYS', base .. 'gactive'),
  }
  for part = 1, 3 do
    for at = 1, #parts[part] do
      local group = parts[part][at]
      if not seen[group] then
        seen[group] = true
        in_lanes = in_lanes + redis.call('ZCARD', base .. 'g:' .. group .. ':pending')
      end
    end
  end
end
return {
  redis.call('ZCARD', pending),
  redis.call('ZCARD', active),
  redis.call('ZCARD', schedule),
  redis.call('ZCARD', dead),
  tonumber(redis.call('HGET', base .. 'metrics:completed', 'count') or '0'),
  tonumber(redis.call('HGET', base .. 'metrics:failed', 'count') or '0'),
  tonumber(redis.call('HGET', base .. 'metrics:dropped', 'count') or '0'),
  in_lanes,
}
