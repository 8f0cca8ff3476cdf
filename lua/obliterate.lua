--[[
obliterate: a step of removing everything a queue has; the pause that allows it goes last.

The sets go first, so that nothing moves any more; then whatever key of the queue the server finds.

KEYS   1 meta       hash    `paused`
       2 active     zset    jobs in flight
ARGV   1 base       string  emq:{q}:
       2 force      string  'force': jobs in flight go too
       3 cursor     string  '0' at the beginning, then what the last step answered
       4 count      int     look at about so many keys of the server, 1 to 10000
BUILT  pending      zset    gone
       schedule     zset    gone
       dead         zset    gone
       ring         list    gone
       flow:outbox  list    gone
REPLY  {cursor, removed}    '0' when nothing is left; how many keys this step removed
       EMQSTATE             the queue is not paused, or jobs are in flight
       EMQARG               cursor or count is malformed
]]
local meta, active = KEYS[1], KEYS[2]
local base, force, cursor, count = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

-- include: number

count = positive(count)
if not count or count > 10000 or not string.find(cursor, '^%d+$') then
  return redis.error_reply('EMQARG a cursor is digits, a count a whole number from 1 to 10000')
end
if not redis.call('HGET', meta, 'paused') then
  return redis.error_reply('EMQSTATE the queue is not paused: pause it first')
end
if force ~= 'force' and redis.call('EXISTS', active) == 1 then
  return redis.error_reply('EMQSTATE jobs are in flight: wait for them, or force it')
end

local pattern = string.format('%s*', base)
local removed = redis.call(
  'UNLINK', active, base .. 'pending', base .. 'schedule', base .. 'dead', base .. 'ring', base .. 'flow:outbox'
)
local step = redis.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', digits(count))
for at = 1, #step[2] do
  if step[2][at] ~= meta then
    removed = removed + redis.call('UNLINK', step[2][at])
  end
end
if step[1] == '0' then
  removed = removed + redis.call('DEL', meta)
end
return { step[1], removed }
