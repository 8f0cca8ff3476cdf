-- What a step answers for one of many items; the error that ended it is its answer, too.
local function each(step, ...)
  local whole, answer = pcall(step, ...)
  if whole then
    return answer
  end
  return trouble(type(answer) == 'table' and answer or { err = tostring(answer) })
end
