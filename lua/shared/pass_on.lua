-- The last step of a claim: word to the next worker when work is left; when none is left anywhere, tokens say nothing
-- any more. Errors are nobody's business here: what was handed out must be told.
local function pass_on(base)
  local flat = redis.pcall('ZCARD', base .. 'pending')
  local lanes = redis.pcall('LLEN', base .. 'ring')
  if flat ~= 0 or lanes ~= 0 then
    wake(base)
  elseif redis.pcall('ZCARD', base .. 'schedule') == 0 then
    redis.pcall('DEL', base .. 'wake')
  end
end
