--[[
extend_lock: an active job keeps its holder; its lease moves forward.

KEYS   1 active   zset    job id -> lease deadline, server ms
       2 row      hash    the job
ARGV   1 id       string
       2 token    int     the fence returned by the claim
       3 lease    int     ms from now
REPLY  1                  the lease now ends at now + lease
       -1                 no row
       EMQSTALE           a later claim holds it
       EMQIDLE            the job is not in flight: reaped, scheduled or dead
       EMQARG             lease is malformed
]]
local active, row = KEYS[1], KEYS[2]
local id, token, lease = ARGV[1], ARGV[2], ARGV[3]

-- include: number

lease = positive(lease)
if not lease then
  return redis.error_reply('EMQARG a lease is a whole number of ms above 0')
end
local attempts = redis.call('HGET', row, 'attempts')
if not attempts then
  return -1
end
if attempts ~= token then
  return redis.error_reply('EMQSTALE a later claim holds the job')
end
if not redis.call('ZSCORE', active, id) then
  return redis.error_reply('EMQIDLE the job is not in flight')
end

-- include: clock

-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
redis.call('PERSIST', active)
redis.call('ZADD', active, digits(now + lease), id)
return 1
