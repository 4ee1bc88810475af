-- Confirmations on their own.
-- KEYS and ARGV: as confirmations.lua takes them
confirm(KEYS, ARGV)
return redis.status_reply('OK')
