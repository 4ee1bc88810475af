-- Put before scripts that write a record somebody may be acting on: 'version time record', of which the time is that of
-- the server when it was last intended to send something, and 0 while nothing is.

-- Write it over the version the caller read; intends: '1' or '0'.
-- Returns the value as stored, or false when somebody else wrote it.
local function written(key, field, version, intends, record)
  local stored = redis.call('HGET', key, field)
  local has, _, body = string.match(stored or '0 0 ', '^(%d+) (%S+) (.*)$')
  -- Records differ by their intent's token: the same one a version later is this very write, repeated.
  if tonumber(has) == version + 1 and body == record then return stored end
  if tonumber(has) ~= tonumber(version) then return false end
  local at = '0'
  if intends == '1' then
    local time = redis.call('TIME')
    at = string.format('%d.%06d', time[1], time[2])
  end
  local value = string.format('%d %s ', version + 1, at) .. record
  redis.call('HSET', key, field, value)
  return value
end
