-- The error in a reply of redis.pcall, nil when there is none. Inside a script servers word a denial without its
-- class, Redis 7.0 in the first way, later ones and Valkey in the second; the caller is told NOPERM by all.
local function trouble(reply)
  if type(reply) ~= 'table' or not reply.err then
    return nil
  end
  local words = tostring(reply.err)
  local denied = string.find(words, 'The user executing the script', 1, true)
    or string.find(words, 'ACL failure in script', 1, true)
  return denied and { err = 'NOPERM ' .. string.sub(words, denied) } or reply
end
