-- Write what one channel has of a trouble many share over the version the caller read; an intent gets the server's time.
-- KEYS: gatherings
-- ARGV: field, version, '1' with an intent or '0', record, seconds all of them live
-- Returns the value as stored, or false when somebody else wrote it.
local gatherings = KEYS[1]
local field, version, intends, record, lives = unpack(ARGV)
local value = written(gatherings, field, version, intends, record)
if value then redis.call('EXPIRE', gatherings, lives) end
return value
