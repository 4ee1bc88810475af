-- Answers that have been owed for a while, by the server's clock; oldest first.
-- KEYS: owed
-- ARGV: seconds, most
local time = redis.call('TIME')
local until_then = string.format('%.6f', time[1] + time[2] / 1e6 - ARGV[1])
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', until_then, 'LIMIT', 0, ARGV[2])
