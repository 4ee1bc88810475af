-- Records of the given conversations, in that order; false where there is none.
-- KEYS: conversation...
local records = {}
for at, key in ipairs(KEYS) do records[at] = redis.call('HGET', key, 'data') end
return records
