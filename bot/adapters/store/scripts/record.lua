-- Write what one channel has of one topic over the version the caller read; an intent gets the server's time.
-- KEYS: subscriptions, announced
-- ARGV: id, topic, version, '1' with an intent or '0', record
-- Returns the value as stored, or false when somebody else wrote it, or the channel no longer listens.
local subscriptions, announced = unpack(KEYS)
local id, topic, version, intends, record = unpack(ARGV)
local stored = redis.call('HGET', announced, topic)
local has, _, body = string.match(stored or '0 0 ', '^(%d+) (%S+) (.*)$')
-- Records differ by their intent's token: the same one a version later is this very write, repeated.
if tonumber(has) == version + 1 and body == record then return stored end
if tonumber(has) ~= tonumber(version) or redis.call('HEXISTS', subscriptions, id) == 0 then return false end
local at = '0'
if intends == '1' then
  local time = redis.call('TIME')
  at = string.format('%d.%06d', time[1], time[2])
end
local value = string.format('%d %s ', version + 1, at) .. record
redis.call('HSET', announced, topic, value)
return value
