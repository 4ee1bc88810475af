-- Note what people report, in place of what they reported before. Nobody's id is kept: it is hashed with a salt that
-- lives no longer than the reports.
-- KEYS: room
-- ARGV: seconds it lives, a salt if there is none yet, then of each person: id, 'at record' (empty: nothing any more)
local room = KEYS[1]
redis.call('HSETNX', room, 'salt', ARGV[2])
local salt = redis.call('HGET', room, 'salt')
for n = 3, #ARGV, 2 do
  local person = redis.sha1hex(salt .. ARGV[n])
  if ARGV[n + 1] == '' then redis.call('HDEL', room, person) else redis.call('HSET', room, person, ARGV[n + 1]) end
end
redis.call('EXPIRE', room, ARGV[1])
return redis.status_reply('OK')
