-- A parked worker is told of a job that is due before all others: it looks, and waits for that time. What was done is
-- done without it, and must not read refused; a beat later somebody looks anyway.
local function wake_if_first(base, schedule, id)
  if redis.pcall('ZRANGE', schedule, 0, 0)[1] == id then
    wake(base)
  end
end
