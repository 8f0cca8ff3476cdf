-- Let one parked worker look again; one token is enough, whoever takes it passes the word on. What was done is done
-- without it, and must not read refused; a beat later somebody looks anyway.
local function wake(base)
  if redis.pcall('LLEN', base .. 'wake') == 0 then
    redis.pcall('LPUSH', base .. 'wake', '1')
  end
end
