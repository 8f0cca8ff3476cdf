--[[
enqueue: a new job waits; a known id changes nothing.

KEYS   1 row      hash    the job
       2 pending  zset    waiting jobs, all at score 0
ARGV   1 id       string  JOB id
       2 payload  bytes
BUILT  wake       list    from pending: one token when nothing waited before
REPLY  1                  the job waits
       0                  the row exists, in whatever state; nothing was written
       EMQKIND            the id is not JOB-namespaced
]]
local row, pending = KEYS[1], KEYS[2]
local id, payload = ARGV[1], ARGV[2]

if string.sub(id, 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND a job id is JOB-namespaced')
end
if redis.call('EXISTS', row) == 1 then
  redis.call('HLEN', row) -- a key that is not a row is an error, not a duplicate
  return 0
end

-- Also asks whether pending is what it should be, before anything is written.
local first = redis.call('ZCARD', pending) == 0
local wake = string.sub(pending, 1, -8) .. 'wake'
local awake = first and redis.call('LLEN', wake) > 0

-- The row last: a step that is refused half-way, by a missing permission, leaves no row to be a duplicate of.
redis.call('ZADD', pending, 0, id)
redis.call('HSET', row, 'state', 'pending', 'attempts', '0', 'payload', payload)
if first and not awake then
  redis.call('LPUSH', wake, '1')
end
return 1
