-- Records of the given conversations, in that order, each with what was posted since; false where there is none.
-- KEYS: conversation...
local records = {}
for at, key in ipairs(KEYS) do records[at] = redis.call('HMGET', key, 'data', 'posted') end
return records
