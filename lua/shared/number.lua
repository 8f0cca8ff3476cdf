-- Lua's tonumber takes '1e3', ' 5 ' and '0x10'; on the wire a number is digits and nothing else.
local function whole(text)
  if text and #text <= 15 and (text == '0' or string.find(text, '^[1-9]%d*$')) then
    return tonumber(text)
  end
  return nil
end

local function positive(text)
  if text == '0' then
    return nil
  end
  return whole(text)
end

-- Milliseconds and counts travel back as digits, whatever size they have.
local function digits(number)
  return string.format('%.0f', number)
end
