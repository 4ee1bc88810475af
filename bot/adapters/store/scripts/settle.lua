-- Raise the revision up to which a platform's channels are served; it never falls.
-- KEYS: settled
-- ARGV: platform, revision
local stored = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
if stored < tonumber(ARGV[2]) then redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
return 1
