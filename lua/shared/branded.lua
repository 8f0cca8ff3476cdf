-- Whether a member is a well-formed branded id; anything else never becomes part of a key.
local function branded(id)
  if #id ~= 14 or not string.find(id, '^[A-Z][A-Z][A-Z][0-9A][0-9A-Za-z]+$') then
    return false
  end
  if string.byte(id, 4) ~= 65 then -- below 'A': all that is minted before the year 2087
    return true
  end
  local highest = 'AzL8n0Y58m7'
  for at = 1, 11 do
    local digit, limit = string.byte(id, at + 3), string.byte(highest, at)
    if digit ~= limit then
      return digit < limit
    end
  end
  return true
end
