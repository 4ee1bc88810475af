-- What a workspace reports, and what its channels have of it. Reports older than the window are deleted; without any,
-- the salt goes too.
-- KEYS: room, gatherings
-- ARGV: seconds of the window
-- Returns {seconds, microseconds, {'at record'...}, {field, value, ...}}.
local room, gatherings = unpack(KEYS)
local time, found = redis.call('TIME'), {}
local entries = redis.call('HGETALL', room)
for n = 1, #entries, 2 do
  if entries[n] ~= 'salt' then
    if tonumber(string.match(entries[n + 1], '^%S+')) < time[1] - ARGV[1] then
      redis.call('HDEL', room, entries[n])
    else
      found[#found + 1] = entries[n + 1]
    end
  end
end
if #found == 0 then redis.call('DEL', room) end
return {time[1], time[2], found, redis.call('HGETALL', gatherings)}
