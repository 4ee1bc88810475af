-- Add to what is counted in a week, once for a batch.
-- KEYS: tally
-- ARGV: process, token of its batch, seconds it is kept, what, how often...
local process = '@' .. ARGV[1]
if redis.call('HGET', KEYS[1], process) == ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], process, ARGV[2])
for at = 4, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], ARGV[at], ARGV[at + 1]) end
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
