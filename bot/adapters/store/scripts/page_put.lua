-- Write what differs of a page, if nobody wrote since the caller read it, and its lease has not gone to another.
-- KEYS: page, incidents, lease
-- ARGV: token, version, revision, data, fence (empty: none needed), '1' for a reading of the page or '0', number of
-- records, id, record..., gone id...
--   token  names this attempt: a repeat after a lost answer finds it written and is told so again
-- Returns 1, or 0 when the caller has to read again.
local page, incidents, lease = unpack(KEYS)
local token, version, revision, data, fence, read, count = unpack(ARGV, 1, 7)
local meta = redis.call('HMGET', page, 'version', 'token')
if meta[2] == token then return 1 end
if tonumber(meta[1] or '0') ~= tonumber(version) then return 0 end
if fence ~= '' and redis.call('HGET', lease, 'fence') ~= fence then return 0 end
-- The first write is one that a full server refuses, so that it refuses all of this or nothing.
redis.call('HSET', page, 'version', version + 1, 'revision', revision, 'data', data, 'token', token)
redis.call('HINCRBY', page, 'reads', read)
local last = 7 + 2 * count
for at = 8, last, 2 do redis.call('HSET', incidents, ARGV[at], ARGV[at + 1]) end
for at = last + 1, #ARGV do redis.call('HDEL', incidents, ARGV[at]) end
return 1
