--[[
add_log: a job's log has a line more, and keeps so many of the last.

KEYS   1 row      hash    the job
       2 logs     list    its lines, oldest first
ARGV   1 line     bytes
       2 keep     int     how many stay, 1 to 10000
REPLY  {lines}            how many there are now
       0                  no row
       EMQARG             keep is malformed
]]
local row, logs = KEYS[1], KEYS[2]
local line, keep = ARGV[1], ARGV[2]

-- include: number

keep = positive(keep)
if not keep or keep > 10000 then
  return redis.error_reply('EMQARG keep is a whole number from 1 to 10000')
end
if redis.call('HEXISTS', row, 'payload') == 0 then
  return 0
end
redis.call('RPUSH', logs, line)
redis.call('LTRIM', logs, -keep, -1)
return { redis.call('LLEN', logs) }
