-- Write a subscription over the version the caller read, or delete it with all that was announced.
-- KEYS: subscriptions, announced
-- ARGV: id, version, record (empty: delete)
-- Returns 1, or 0 when it no longer stands as the caller read it.
local subscriptions, announced = unpack(KEYS)
local id, version, record = unpack(ARGV)
local stored = redis.call('HGET', subscriptions, id)
local written = string.format('%d ', version + 1) .. record
if record == '' and not stored then return 1 end
if stored == written then return 1 end
if not stored or string.match(stored, '^%d+') ~= version then return 0 end
if record == '' then
  redis.call('HDEL', subscriptions, id)
  redis.call('DEL', announced)
else
  redis.call('HSET', subscriptions, id, written)
end
return 1
