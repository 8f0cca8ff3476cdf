-- The oldest jobs of a lane, `share` at most, and whether there are more. A key that is no lane counts as an empty one: the
-- others are served all the same.
local function oldest(lane, share)
  local members = redis.pcall('ZRANGE', lane, 0, share)
  if members.err then
    return {}, false
  end
  local more = #members > share
  if more then
    members[share + 1] = nil
  end
  return members, more
end

-- The books of the groups whose jobs were handed out; `known` is what was in flight of those in the round.
local function count_flying(base, flying, known)
  local counts = {}
  for group, count in pairs(flying) do
    if known[group] then
      counts[#counts + 1] = group
      counts[#counts + 1] = digits(known[group] + count)
    else
      redis.pcall('HINCRBY', base .. 'gactive', group, count)
    end
  end
  if #counts > 0 then
    redis.pcall('HSET', base .. 'gactive', unpack(counts))
  end
end

-- What is known of the lanes at the head of the rota: jobs a turn, and how many more may be in flight.
local function at_the_head(base, groups)
  local parked = redis.call('SMISMEMBER', base .. 'paused', unpack(groups))
  local limits = redis.call('HMGET', base .. 'glimit', unpack(groups))
  local flying = redis.call('HMGET', base .. 'gactive', unpack(groups))
  local weights = redis.call('HMGET', base .. 'gweight', unpack(groups))
  local lanes, seen = {}, {}
  for at = 1, #groups do
    local in_flight = tonumber(flying[at] or '') or 0
    local room = (tonumber(limits[at] or '') or math.huge) - in_flight
    if parked[at] == 1 or seen[groups[at]] or not branded(groups[at]) then
      room = 0
    end
    seen[groups[at]] = true
    lanes[at] = {
      group = groups[at],
      room = room,
      flying = in_flight,
      weight = positive(weights[at]) or 1,
      jobs = {},
    }
  end
  return lanes
end

-- How many turns each of these lanes may have in one go: more than one only when they are the whole rota.
local function turns_each(lanes, want, whole_rota)
  local round = 0
  for at = 1, #lanes do
    round = round + (lanes[at].room > 0 and lanes[at].weight or 0)
  end
  if lanes[1].rest or round == 0 or not whole_rota then
    return 1
  end
  return math.max(1, math.floor(want / round))
end

-- Put what lanes gave in the order of their turns.
local function weave(lanes, turns, served)
  for turn = 1, turns do
    for at = 1, #lanes do
      local lane = lanes[at]
      for place = (turn - 1) * lane.weight + 1, turn < turns and turn * lane.weight or #lane.jobs do
        served[#served + 1] = lane.jobs[place]
      end
    end
  end
end

-- Serve lanes of the head of the rota, `want` jobs together at most. Returns how many looks were in vain, how many
-- members had no row, and the turn that was cut short because no more were wanted.
local function serve_round(base, ring, active, deadline, lanes, turns, want)
  local visited, back, vain, dropped, cut = 0, {}, 0, 0, nil
  local leases, flying, known, out = {}, {}, {}, {}
  for at = 1, #lanes do
    local lane = lanes[at]
    local group = lane.group
    local share = turns * (lane.rest or lane.weight)
    local most = math.min(share, lane.room, want)
    if want == 0 then
      break
    end
    visited = visited + 1
    known[group] = lane.flying
    local ghosts, more = 0, false
    if most > 0 then
      local key, members = base .. 'g:' .. group .. ':pending', nil
      members, more = oldest(key, most)
      if #members > 0 then
        ghosts = take_up(base, deadline, members, lane.jobs, leases, flying)
        out[#out + 1] = { key, members }
      end
    end
    want = want - #lane.jobs
    dropped = dropped + ghosts
    vain = vain + ghosts + (#lane.jobs == 0 and 1 or 0)
    if more and lane.room > #lane.jobs then
      if want == 0 and #lane.jobs < share then
        cut, visited = digits(share - #lane.jobs) .. ' ' .. group, visited - 1
      else
        back[#back + 1] = group
      end
    end
  end
  hold(active, leases)
  for at = 1, #out do
    redis.call('ZREM', out[at][1], unpack(out[at][2]))
  end
  count_flying(base, flying, known)
  -- Back before out: a step that is refused half-way, by a missing permission, leaves no lane that is not served.
  if #back > 0 then
    redis.call('RPUSH', ring, unpack(back))
  end
  if visited > 0 then
    redis.call('LPOP', ring, visited)
  end
  return vain, dropped, cut
end

-- Serve lanes in the order of the rota until there are `size` jobs (or, for one turn alone, any). A turn is `weight`
-- jobs. One that was cut short is noted in `turn`: the next claim begins with the rest of it. Returns how many looks
-- were in vain: members without a row, and lanes that could not be served.
local function serve_lanes(base, ring, active, deadline, size, served, alone)
  local wanted, vain, dropped, cut = #served + size, 0, 0, nil
  local noted = redis.call('GET', base .. 'turn')
  local rest, whose = string.match(noted or '', '^(%d+) (.+)$')
  while #served < wanted and vain < 1000 and not (alone and #served > 0) do
    local want = wanted - #served
    local groups = redis.call('LRANGE', ring, 0, alone and 0 or math.min(want, 500) - 1)
    if #groups == 0 then
      break
    end
    local lanes = at_the_head(base, groups)
    if whose == groups[1] then
      lanes[1].rest = tonumber(rest)
    end
    whose = nil
    local turns = alone and 1 or turns_each(lanes, want, redis.call('LLEN', ring) == #groups)
    local in_vain, ghosts
    in_vain, ghosts, cut = serve_round(base, ring, active, deadline, lanes, turns, want)
    vain, dropped = vain + in_vain, dropped + ghosts
    weave(lanes, turns, served)
  end
  if cut then
    redis.call('SET', base .. 'turn', cut, 'PX', 60000)
  elseif noted then
    redis.call('DEL', base .. 'turn')
  end
  count_dropped(base, dropped)
  return vain
end
