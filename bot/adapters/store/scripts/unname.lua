-- Write a conversation that no longer names somebody, over the revision the caller read. An answer owed stays owed.
-- KEYS: conversation, owed
-- ARGV: id, revision, data
-- Returns 1, or 0 when it no longer stands as the caller read it.
local conversation, owed = unpack(KEYS)
local id, revision, data = unpack(ARGV)
local stored, there = unpack(redis.call('HMGET', conversation, 'revision', 'data'))
if stored == revision and there == data then return 1 end
if not stored or tonumber(stored) ~= tonumber(revision) - 1 then return 0 end
redis.call('HSET', conversation, 'revision', revision, 'data', data)
local since = redis.call('ZSCORE', owed, id .. ':' .. stored)
if since then
  redis.call('ZREM', owed, id .. ':' .. stored)
  redis.call('ZADD', owed, since, id .. ':' .. revision)
end
return 1
