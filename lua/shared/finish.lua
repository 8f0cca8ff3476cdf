-- A job that its holder is done with leaves the queue. The row first: a step that is refused half-way leaves a member
-- without a row, which is dropped where it is met.
local function finish(base, id, group, place)
  redis.call('DEL', base .. 'job:' .. id, base .. 'job:' .. id .. ':logs')
  take_out(base, id, group, place)
  keep_books(base, group, place)
end
