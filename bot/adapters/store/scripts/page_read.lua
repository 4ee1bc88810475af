-- A page and all its incidents, as they stand at one moment.
-- KEYS: page, incidents
-- Returns {version, revision, data or false, {id, record, ...}, readings}.
local page, incidents = unpack(KEYS)
local meta = redis.call('HMGET', page, 'version', 'revision', 'data', 'reads')
return {meta[1] or '0', meta[2] or '0', meta[3], redis.call('HGETALL', incidents), meta[4] or '0'}
