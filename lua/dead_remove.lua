--[[
dead_remove: a dead job is gone, row and log.

KEYS   1 dead       zset    dead jobs, all at score 0
       2 row        hash    the job
ARGV   1 id         string
       2 base       string  emq:{q}:
BUILT  job:<id>:logs list   its log goes with it
REPLY  1                    gone
       0                    no row
       EMQSTATE             it is not dead
]]
local dead, row = KEYS[1], KEYS[2]
local id, base = ARGV[1], ARGV[2]

if not redis.call('ZSCORE', dead, id) then
  if redis.call('EXISTS', row) == 0 then
    return 0
  end
  return redis.error_reply('EMQSTATE the job is not dead')
end
redis.call('DEL', row, base .. 'job:' .. id .. ':logs')
redis.call('ZREM', dead, id)
return 1
