-- What a step answered for one of many items, or the error that ended it: give it what pcall returned.
local function fared(whole, answer)
  if whole then
    return answer
  end
  return trouble(type(answer) == 'table' and answer or { err = tostring(answer) })
end
