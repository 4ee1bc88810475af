-- Note, by the server's clock, that a conversation is about to name somebody who is not its owner.
-- KEYS: named
-- ARGV: id, seconds a record lives
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], time[1], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', time[1] - ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
