-- What `step` answers for each of 1 to `count`, in order, or the error that ended it; that costs the others nothing.
-- One pcall lasts until the next error: one for each item would cost more than some steps do.
local function each(count, step)
  local answers = {}
  local function go_on()
    for at = #answers + 1, count do
      answers[at] = step(at)
    end
  end
  while #answers < count do
    local whole, broken = pcall(go_on)
    if not whole then
      answers[#answers + 1] = trouble(type(broken) == 'table' and broken or { err = tostring(broken) })
    end
  end
  return answers
end
