-- Which different wishes the subscriptions of a page have.
-- KEYS: subscriptions, wishes, began
-- Returns {wish, ...}; false where not all subscriptions are filed under theirs.
local subscriptions, wishes, began = unpack(KEYS)
if redis.call('HLEN', subscriptions) ~= redis.call('ZCARD', began) then return false end
local found, at = {}, '-'
while true do
  local member = redis.call('ZRANGEBYLEX', wishes, at, '+', 'LIMIT', 0, 1)[1]
  if not member then return found end
  found[#found + 1] = string.match(member, '^[^\n]*')
  -- Behind all members of this wish: the character after the line feed.
  at = '[' .. found[#found] .. '\011'
end
