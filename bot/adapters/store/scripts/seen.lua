-- Note that a workspace has conversations; those of which nothing was heard for long leave.
-- KEYS: workspaces
-- ARGV: 'platform workspace', seconds it stays
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], time[1], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', time[1] - ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.status_reply('OK')
