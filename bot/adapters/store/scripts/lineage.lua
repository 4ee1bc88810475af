-- Note which store this is, and whether it may have lost its last writes since somebody asked before.
-- KEYS: page, lineage
-- ARGV: what the server calls its data ('': it does not say), a name for a new store, seconds its last writes may lie
-- back, the name of the store the caller knew ('': none)
-- Returns 1 if this call noted a loss, else 0, and the hash: id, server, seen, loss, 'loss:<n>' = 'version since at',
-- 'trusted:<platform>' = n. at: when it was noted; 0 where nobody can have been sending.
local page, lineage = unpack(KEYS)
local server, name, back, known = unpack(ARGV)
local time = redis.call('TIME')
local now = string.format('%d.%06d', time[1], time[2])
local id, before, seen, loss = unpack(redis.call('HMGET', lineage, 'id', 'server', 'seen', 'loss'))
local since, at = false, now
if not id then
  -- An empty store has forgotten all there ever was.
  redis.call('HSET', lineage, 'id', name, 'server', server)
  since = '0'
  if known == '' then at = '0' end
elseif server ~= '' and before ~= server then
  redis.call('HSET', lineage, 'server', server)
  if before ~= '' then since = string.format('%.6f', math.max(0, tonumber(seen) - back)) end
end
if since then
  loss = tonumber(loss or '0') + 1
  local version = redis.call('HGET', page, 'version') or '0'
  redis.call('HSET', lineage, 'loss', loss, 'loss:' .. loss, version .. ' ' .. since .. ' ' .. at)
  redis.call('HDEL', lineage, 'loss:' .. (loss - 50))
end
redis.call('HSET', lineage, 'seen', now)
return {since and 1 or 0, redis.call('HGETALL', lineage)}
