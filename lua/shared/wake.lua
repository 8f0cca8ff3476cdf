-- Let one parked worker look again; one token is enough, whoever takes it passes the word on.
local function wake(base)
  if redis.pcall('LLEN', base .. 'wake') == 0 then
    redis.call('LPUSH', base .. 'wake', '1')
  end
end
