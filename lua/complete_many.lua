--[[
complete_many: complete for each of many jobs; what one is refused for costs the others nothing.

Those in flight are read one after the other and written together: what is deleted together cannot be lost half-way, as
what is put in together could.

KEYS   1 active     zset    job id -> lease deadline, server ms
       2 base       string  emq:{q}:
ARGV   1.. id, token        pairs: the job, and the fence returned by its claim
BUILT  job:<id>     hash    the job
       job:<id>:logs list   its log goes with it
       pending      zset    where the id waits again after its lease was reaped
       g:<group>:pending zset the same for a job with a group
       gactive      hash    in-flight count of the group
       glimit       hash    limit of the group
       paused       set     parked groups
       ring         list    rota of groups that can be served
       wake         list    one token when the group comes back into the rota
       metrics:completed hash the count
REPLY  {settlement ...}     one for each pair, in input order; a server's own error on one is its settlement
       1                    completed
       0                    no row
       EMQSTALE             a later claim holds it, or it is neither in flight nor waiting
       EMQFLOW              the job belongs to a flow; nothing was written
]]
local active, base = KEYS[1], KEYS[2]

-- include: lane
-- include: place
-- include: finish
-- include: trouble
-- include: finish_all
-- include: each

-- Asked for all at once: a job that an earlier pair has settled has no row any more, and that is asked first.
local ids = {}
for at = 1, #ARGV, 2 do
  ids[#ids + 1] = ARGV[at]
end
local leases = redis.pcall('ZMSCORE', active, unpack(ids)) -- an error has no places

-- The reply for a pair whose job is not completed; false where it is, where the job is, and its group.
local function look(at)
  local id, token = ids[at], ARGV[2 * at]
  local job = redis.call('HMGET', base .. 'job:' .. id, 'attempts', 'group', 'parent', 'spent')
  local attempts, group, parent = job[1], job[2], job[3]
  if not attempts then
    return 0
  end
  if attempts ~= token or token == '0' or token == job[4] then
    return redis.error_reply('EMQSTALE a later claim holds the job, or this one was settled')
  end
  if parent then
    return redis.error_reply('EMQFLOW the job belongs to a flow, whose parent would never be released')
  end
  local place = leases[at] and 'active' or place_of(base, id, group)
  if not place then
    return redis.error_reply('EMQSTALE the job is neither in flight nor waiting')
  end
  return false, place, group
end

local completed, failed = 0, {}
local places, flying, groups, planned = {}, {}, {}, {} -- of the pairs that are to be written together

local function write()
  if #flying > 0 then
    local refused = finish_all(base, flying, groups)
    for at = 1, #flying do
      failed[places[at]] = refused[at]
      completed = completed + (refused[at] and 0 or 1)
    end
    places, flying, groups, planned = {}, {}, {}, {}
  end
end

local function complete(at)
  local id = ids[at]
  if planned[id] then
    write()
  end
  local refused, place, group = look(at)
  if refused then
    return refused
  end
  if place == 'active' then
    local next = #flying + 1
    places[next], flying[next], groups[next], planned[id] = at, id, group, true
    return 1
  end
  finish(base, id, group, place)
  completed = completed + 1
  return 1
end

local settlements = each(#ids, complete)
write()
for at, refused in pairs(failed) do
  settlements[at] = refused
end
if completed > 0 then
  count(base, 'completed', completed)
end
return settlements
