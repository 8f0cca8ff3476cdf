--[[
update_progress: how far a job has come is kept in its row.

KEYS   1 row      hash    the job
ARGV   1 progress bytes
REPLY  1                  done
       0                  no row
]]
local row = KEYS[1]
local progress = ARGV[1]

if redis.call('HEXISTS', row, 'payload') == 0 then
  return 0
end
redis.call('HSET', row, 'progress', progress)
return 1
