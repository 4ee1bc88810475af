-- Delete what is kept about a person. Conversations that were added since the caller looked stay, and are counted.
-- KEYS: person, kept, owed, waiting, going, conversation...
-- ARGV: id... (of those conversations, in the same order)
-- Returns {deleted, left}.
local person, kept, owed, waiting, going = unpack(KEYS, 1, 5)
local deleted = 0
for at, id in ipairs(ARGV) do
  local conversation = KEYS[at + 5]
  local revision = redis.call('HGET', conversation, 'revision')
  if revision then redis.call('ZREM', owed, id .. ':' .. revision) end
  deleted = deleted + redis.call('DEL', conversation)
  redis.call('HDEL', waiting, id)
  redis.call('ZREM', going, id)
  redis.call('HDEL', person, id)
  redis.call('ZREM', kept, id)
end
local left = redis.call('ZCARD', kept)
if left == 0 then redis.call('DEL', person) end
return {deleted, left}
