-- Write a subscription over the version the caller read, or delete it with all that was announced.
-- KEYS: subscriptions, announced, wishes, began
-- ARGV: id, version, record (empty: delete)
-- Returns 1, or 0 when it no longer stands as the caller read it.
local subscriptions, announced, wishes, began = unpack(KEYS)
local id, version, record = unpack(ARGV)
local stored = redis.call('HGET', subscriptions, id)
local written = string.format('%d ', version + 1) .. record
if record == '' and not stored then return 1 end
if stored == written then return 1 end
if not stored or string.match(stored, '^%d+') ~= version then return 0 end
if record == '' then
  redis.call('HDEL', subscriptions, id)
  redis.call('DEL', announced)
  redis.call('ZREM', began, id)
  local at = '-'
  while true do
    local member = redis.call('ZRANGEBYLEX', wishes, at, '+', 'LIMIT', 0, 1)[1]
    if not member then break end
    local wish = string.match(member, '^[^\n]*')
    redis.call('ZREM', wishes, wish .. '\n' .. id)
    at = '[' .. wish .. '\011'
  end
else
  redis.call('HSET', subscriptions, id, written)
end
return 1
