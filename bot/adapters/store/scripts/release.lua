-- Give a turn back, unless somebody else has taken it.
-- KEYS: lease
-- ARGV: fence
if redis.call('HGET', KEYS[1], 'fence') == ARGV[1] then redis.call('HSET', KEYS[1], 'until', 0) end
return 1
