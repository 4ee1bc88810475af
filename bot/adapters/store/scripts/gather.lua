-- Write what one channel has of a trouble many share over the version the caller read; an intent gets the server's time.
-- KEYS: gatherings
-- ARGV: field, version, '1' with an intent or '0', record, seconds all of them live
-- Returns the value as stored, or false when somebody else wrote it.
local gatherings = KEYS[1]
local field, version, intends, record, lives = unpack(ARGV)
local stored = redis.call('HGET', gatherings, field)
local has, _, body = string.match(stored or '0 0 ', '^(%d+) (%S+) (.*)$')
if tonumber(has) == version + 1 and body == record then return stored end
if tonumber(has) ~= tonumber(version) then return false end
local at = '0'
if intends == '1' then
  local time = redis.call('TIME')
  at = string.format('%d.%06d', time[1], time[2])
end
local value = string.format('%d %s ', version + 1, at) .. record
redis.call('HSET', gatherings, field, value)
redis.call('EXPIRE', gatherings, lives)
return value
