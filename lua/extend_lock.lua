--[[
extend_lock: an active job keeps its holder; its lease moves forward.

EMQ.EXTEND of native/emq.c is its twin: what changes here changes there.

KEYS   1 active   zset    job id -> lease deadline, server ms
       2 row      hash    the job
ARGV   1 id       string
       2 token    int     the fence returned by the claim
       3 lease    int     ms from now
REPLY  1                  the lease now ends at now + lease
       -1                 no row
       EMQSTALE           a later claim holds it
       EMQIDLE            the job is not in flight: reaped, scheduled or dead
       EMQARG             lease is malformed, or row is not the id's row beside active
]]
local active, row = KEYS[1], KEYS[2]
local id, token, lease = ARGV[1], ARGV[2], ARGV[3]

-- include: number
-- include: trouble

lease = positive(lease)
local stem = string.sub(active or '', 1, -7)
if not lease or #KEYS ~= 2 or active ~= stem .. 'active' or row ~= stem .. 'job:' .. id then
  return redis.error_reply('EMQARG takes active and a row of its queue, the id of that row, and a lease in ms above 0')
end
local deadline_now = redis.pcall('ZSCORE', active, id)
local attempts = redis.pcall('HGET', row, 'attempts')
local refused = trouble(deadline_now) or trouble(attempts)
if refused then
  return refused
end
if not attempts then
  return -1
end
if attempts ~= token then
  return redis.error_reply('EMQSTALE a later claim holds the job')
end
if not deadline_now then
  return redis.error_reply('EMQIDLE the job is not in flight')
end

-- include: clock

-- A server out of memory refuses a first write that could take some; this one cannot, and lets the next through.
refused = trouble(redis.pcall('PERSIST', active))
  or trouble(redis.pcall('ZADD', active, digits(now + lease), id))
if refused then
  return refused
end
return 1
