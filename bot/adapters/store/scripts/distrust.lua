-- Note that the store may have forgotten everything; repeated, it is noted once more, which does no harm.
-- KEYS: page, lineage
-- ARGV: a name for a new store
local page, lineage = unpack(KEYS)
redis.call('HSETNX', lineage, 'id', ARGV[1])
redis.call('HSETNX', lineage, 'server', '')
redis.call('HSETNX', lineage, 'seen', '0')
local time = redis.call('TIME')
local loss = tonumber(redis.call('HGET', lineage, 'loss') or '0')
local number = string.format('%.0f', math.max(time[1] * 1000000 + time[2], loss + 1))
redis.call('HSET', lineage, 'loss', number, 'loss:' .. number, (redis.call('HGET', page, 'reads') or '0') .. ' 0 0')
return number
