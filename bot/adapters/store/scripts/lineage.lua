-- Note which store this is, and whether it may have lost its last writes since somebody asked before.
-- KEYS: page, lineage
-- ARGV: what the server calls its data ('': it does not say), a name for a new store, seconds its last writes may lie
-- back, the name of the store the caller knew ('': none), what the server called its data before
-- Returns 1 if this call noted a loss operators should know (not a mere restart), else 0, and the hash: id, server,
-- seen, loss, 'loss:<n>' = 'readings since at', 'trusted:<platform>' = n. n: the time in microseconds. at: when it was
-- noted; 0 where nobody can have been sending.
local page, lineage = unpack(KEYS)
local server, name, back, known, earlier = unpack(ARGV)
local time = redis.call('TIME')
local now = string.format('%d.%06d', time[1], time[2])
local id, before, seen, loss = unpack(redis.call('HMGET', lineage, 'id', 'server', 'seen', 'loss'))
local since, at, news = false, now, 1
if not id then
  -- An empty store has forgotten all there ever was.
  redis.call('HSET', lineage, 'id', name, 'server', server)
  since = '0'
  if known == '' then at = '0' else redis.call('HSET', lineage, 'told', 1) end
elseif known ~= '' and known ~= id and redis.call('HSETNX', lineage, 'told', 1) == 1 then
  -- Somebody who knew nothing of the store before was the first to look; now it is known that there was one.
  since = '0'
elseif server ~= '' and before ~= server then
  redis.call('HSET', lineage, 'server', server)
  -- A server that took over knows the name before; one that was started again has lost a second at most.
  if earlier ~= before then news = 0 end
  if before ~= '' then since = string.format('%.6f', math.max(0, tonumber(seen) - back)) end
end
if since then
  -- A number nobody has used: whoever still means an earlier loss must not be taken to mean this one.
  local number = math.max(time[1] * 1000000 + time[2], tonumber(loss or '0') + 1)
  local name = 'loss:' .. string.format('%.0f', number)
  local reads = redis.call('HGET', page, 'reads') or '0'
  redis.call('HSET', lineage, 'loss', string.format('%.0f', number), name, reads .. ' ' .. since .. ' ' .. at)
end
redis.call('HSET', lineage, 'seen', now)
local all, losses = redis.call('HKEYS', lineage), {}
for _, name in ipairs(all) do if string.sub(name, 1, 5) == 'loss:' then losses[#losses + 1] = name end end
if #losses > 40 then
  -- Months of restarts; what was not compared since so long ago never will be.
  table.sort(losses)
  for n = 1, #losses - 20 do redis.call('HDEL', lineage, losses[n]) end
end
return {since and news or 0, redis.call('HGETALL', lineage)}
