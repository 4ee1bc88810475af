-- A page and all its incidents, as they stand at one moment.
-- KEYS: page, incidents
-- Returns {version, revision, data or false, {id, record, ...}}.
local page, incidents = unpack(KEYS)
local meta = redis.call('HMGET', page, 'version', 'revision', 'data')
return {meta[1] or '0', meta[2] or '0', meta[3], redis.call('HGETALL', incidents)}
