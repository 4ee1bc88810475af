-- Subscriptions of a platform that have one of these wishes, began after a revision, or are named.
-- KEYS: subscriptions, wishes, began
-- ARGV: platform and a colon, revision, number of wishes, wish..., id...
-- Returns {id, value or false, ...}.
local subscriptions, wishes, began = unpack(KEYS)
local platform, since, count = ARGV[1], ARGV[2], tonumber(ARGV[3])
local ids, found = {}, {}
local function add(id)
  if not found[id] then
    found[id] = true
    ids[#ids + 1] = id
  end
end
for at = 4, 3 + count do
  -- A semicolon is the character after the colon.
  local first = ARGV[at] .. '\n' .. platform
  local behind = string.sub(first, 1, -2) .. ';'
  for _, member in ipairs(redis.call('ZRANGEBYLEX', wishes, '[' .. first, '(' .. behind)) do
    add(string.sub(member, #ARGV[at] + 2))
  end
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', began, '(' .. since, '+inf')) do
  if string.sub(id, 1, #platform) == platform then add(id) end
end
for at = 4 + count, #ARGV do add(ARGV[at]) end
local answer = {}
for start = 1, #ids, 1000 do
  local stop = math.min(start + 999, #ids)
  for n, value in ipairs(redis.call('HMGET', subscriptions, unpack(ids, start, stop))) do
    answer[#answer + 1] = ids[start + n - 1]
    answer[#answer + 1] = value
  end
end
return answer
