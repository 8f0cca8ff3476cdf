--[[
remove: a job leaves the queue for good, wherever it is; the books of its lane are kept.

KEYS   1 row        hash    the job
ARGV   1 id         string
       2 base       string  emq:{q}:
       3 dedup      string  its deduplication id, '' without one
BUILT  job:<id>:logs list   its log goes with it
       job:<id>:lock string a worker's lock, of a foreign client
       active       zset    it may be in flight
       pending      zset    or wait
       g:<group>:pending zset or wait in its lane
       schedule     zset    or for its time
       dead         zset    or be dead
       gactive      hash    in-flight count of the group
       glimit       hash    limit of the group
       paused       set     parked groups
       ring         list    rota of groups that can be served
       wake         list    one token when the group comes back into the rota
       de:<dedup>   string  deleted if it names this job
REPLY  1                    removed
       0                    no row
       EMQLOCK              a worker of a foreign client holds its lock
       EMQFLOW              it belongs to a flow; nothing was written
]]
local row = KEYS[1]
local id, base, dedup = ARGV[1], ARGV[2], ARGV[3]

-- include: lane
-- include: place

local job = redis.call('HMGET', row, 'state', 'group', 'parent', 'lock')
local state, group, parent, lock = job[1], job[2], job[3], job[4]
if redis.call('EXISTS', row) == 0 then
  return 0
end
if lock or redis.call('EXISTS', base .. 'job:' .. id .. ':lock') == 1 then
  return redis.error_reply('EMQLOCK a worker holds a lock on the job')
end
if parent or state == 'awaiting_children' then
  return redis.error_reply('EMQFLOW the job belongs to a flow, whose other jobs would wait for ever')
end

local place = place_of(base, id, group)
-- The row first: a step that is refused half-way leaves a member without a row, which is dropped where it is met.
redis.call('DEL', row, base .. 'job:' .. id .. ':logs')
if place then
  take_out(base, id, group, place)
end
redis.call('ZREM', base .. 'schedule', id)
redis.call('ZREM', base .. 'dead', id)
if dedup ~= '' and redis.call('GET', base .. 'de:' .. dedup) == id then
  redis.call('DEL', base .. 'de:' .. dedup)
end
keep_books(base, group, place)
return 1
