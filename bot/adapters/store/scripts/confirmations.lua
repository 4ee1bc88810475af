-- Settles answers that were shown, and keeps where: beside the record, and in the person's index.
-- keys: owed, then for each answer its conversation and its person
-- args: for each answer its id, revision, 'revision thread shown' (empty: nowhere), and the thread as an index names it
-- What is older than what is known changes nothing; a conversation that was forgotten is not brought back.
local function confirm(keys, args)
  local owed = keys[1]
  for n = 0, #args / 4 - 1 do
    local conversation, person = keys[2 * n + 2], keys[2 * n + 3]
    local id, revision, posted, thread = unpack(args, 4 * n + 1, 4 * n + 4)
    local stored, before = unpack(redis.call('HMGET', conversation, 'revision', 'posted'))
    local known = tonumber(before and string.match(before, '^%d+') or 0)
    if stored and posted ~= '' and tonumber(revision) >= known then
      redis.call('HSET', conversation, 'posted', posted)
      local entry = redis.call('HGET', person, id)
      local head, its_thread, guide = string.match(entry or '', '^(%S+ %S+ %S*) (%S*) (%S*)$')
      if head and thread ~= '' and (its_thread == '' or tonumber(revision) >= tonumber(stored)) then
        redis.call('HSET', person, id, head .. ' ' .. thread .. ' ' .. guide)
      end
    end
    -- Last: a full server has refused the lines above, and the answer stays owed with its place.
    redis.call('ZREM', owed, id .. ':' .. revision)
  end
end
