-- Hand out up to `share` jobs of a lane; returns the jobs, how many members had no row, and how many are left. A key that
-- is no lane counts as an empty one: the others are served all the same.
local function take(base, group, active, deadline, share)
  local lane = base .. 'g:' .. group .. ':pending'
  local jobs, members = {}, redis.pcall('ZRANGE', lane, 0, share - 1)
  if members.err or #members == 0 then
    return jobs, 0, 0
  end
  local ghosts = hand_out(base, lane, active, deadline, members, jobs)
  return jobs, ghosts, redis.call('ZCARD', lane)
end

-- What is known of the lanes at the head of the rota: jobs a turn, and how many more may be in flight.
local function at_the_head(base, groups)
  local parked = redis.call('SMISMEMBER', base .. 'paused', unpack(groups))
  local limits = redis.call('HMGET', base .. 'glimit', unpack(groups))
  local flying = redis.call('HMGET', base .. 'gactive', unpack(groups))
  local weights = redis.call('HMGET', base .. 'gweight', unpack(groups))
  local lanes, seen = {}, {}
  for at = 1, #groups do
    local room = (tonumber(limits[at] or '') or math.huge) - (tonumber(flying[at] or '') or 0)
    if parked[at] == 1 or seen[groups[at]] or not branded(groups[at]) then
      room = 0
    end
    seen[groups[at]] = true
    lanes[at] = { group = groups[at], room = room, weight = positive(weights[at]) or 1, jobs = {} }
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
  for at = 1, #lanes do
    local lane = lanes[at]
    local share = turns * (lane.rest or lane.weight)
    local most = math.min(share, lane.room, want)
    if want == 0 then
      break
    end
    visited = visited + 1
    local ghosts, left = 0, 0
    if most > 0 then
      lane.jobs, ghosts, left = take(base, lane.group, active, deadline, most)
    end
    want = want - #lane.jobs
    dropped = dropped + ghosts
    vain = vain + ghosts + (#lane.jobs == 0 and 1 or 0)
    if left > 0 and lane.room > #lane.jobs then
      if want == 0 and #lane.jobs < share then
        cut, visited = digits(share - #lane.jobs) .. ' ' .. lane.group, visited - 1
      else
        back[#back + 1] = lane.group
      end
    end
  end
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
