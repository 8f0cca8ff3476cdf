--[[
update_data: a job has another payload from now on; who holds it already has the old one.

KEYS   1 row      hash    the job
ARGV   1 payload  bytes
REPLY  1                  done
       0                  no row
]]
local row = KEYS[1]
local payload = ARGV[1]

if redis.call('HEXISTS', row, 'payload') == 0 then
  return 0
end
redis.call('HSET', row, 'payload', payload)
return 1
