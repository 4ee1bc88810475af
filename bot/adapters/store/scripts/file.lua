-- File subscriptions under their wishes, as an earlier Redial did not; what is no subscription any more is taken out.
-- KEYS: subscriptions, wishes, began
-- ARGV: id, revision, wish, ...
-- Returns 1.
local subscriptions, wishes, began = unpack(KEYS)
for _, id in ipairs(redis.call('ZRANGE', began, 0, -1)) do
  if redis.call('HEXISTS', subscriptions, id) == 0 then redis.call('ZREM', began, id) end
end
for at = 1, #ARGV, 3 do
  local id, since, wish = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  if redis.call('HEXISTS', subscriptions, id) == 1 then
    -- One that somebody changed meanwhile began later.
    redis.call('ZADD', began, 'GT', since, id)
    redis.call('ZADD', wishes, 0, wish .. '\n' .. id)
  end
end
return 1
