-- Write a subscription and raise the page's revision to where it begins, if nobody wrote the page meanwhile.
-- KEYS: page, subscriptions, wishes, began
-- ARGV: token, version, revision, id, record, wish
-- Returns 1, or 0 when the caller has to read again.
local page, subscriptions, wishes, began = unpack(KEYS)
local token, version, revision, id, record, wish = unpack(ARGV)
local meta = redis.call('HMGET', page, 'version', 'token')
if meta[2] == token then return 1 end
if tonumber(meta[1] or '0') ~= tonumber(version) then return 0 end
redis.call('HSET', page, 'version', version + 1, 'revision', revision, 'token', token)
redis.call('HSET', subscriptions, id, string.format('%d ', version + 1) .. record)
redis.call('ZADD', began, revision, id)
-- Wishes it had before stay: it may have been told under them, and is to hear how that ends.
redis.call('ZADD', wishes, 0, wish .. '\n' .. id)
return 1
