-- Note that the store may have forgotten everything; repeated, it is noted once more, which does no harm.
-- KEYS: page, lineage
-- ARGV: a name for a new store
local page, lineage = unpack(KEYS)
redis.call('HSETNX', lineage, 'id', ARGV[1])
redis.call('HSETNX', lineage, 'server', '')
redis.call('HSETNX', lineage, 'seen', '0')
local loss = redis.call('HINCRBY', lineage, 'loss', 1)
redis.call('HSET', lineage, 'loss:' .. loss, (redis.call('HGET', page, 'version') or '0') .. ' 0 0')
return loss
