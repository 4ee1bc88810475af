-- Take a turn at some work, or go on holding it, by the server's clock.
-- KEYS: lease
-- ARGV: holder, milliseconds
-- Returns the fence, or 0 while somebody else holds it.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HMGET', KEYS[1], 'holder', 'until', 'fence')
local fence = tonumber(held[3] or '0')
if held[1] ~= ARGV[1] then
  if tonumber(held[2] or '0') > now then return 0 end
  fence = fence + 1
end
redis.call('HSET', KEYS[1], 'holder', ARGV[1], 'until', string.format('%.0f', now + ARGV[2]), 'fence', fence)
return fence
