-- Write what one channel has of one topic over the version the caller read; an intent gets the server's time.
-- KEYS: subscriptions, announced
-- ARGV: id, topic, version, '1' with an intent or '0', record
-- Returns the value as stored, or false when somebody else wrote it, or the channel no longer listens.
local subscriptions, announced = unpack(KEYS)
local id, topic, version, intends, record = unpack(ARGV)
-- What was announced goes with the subscription: a write that is repeated finds nothing of itself either.
if redis.call('HEXISTS', subscriptions, id) == 0 then return false end
return written(announced, topic, version, intends, record)
