-- An id that stands at the end of its conversation's key is not sent beside it.
local function named(id, conversation)
  return id ~= '' and id or string.match(conversation, '[^:]+$')
end

-- Settles answers that were shown, and keeps where: beside the record, and in the person's index.
-- keys: owed, then of each answer its conversation, then of each with a thread its person
-- args: for each answer its id (or empty), 'revision thread shown' (nowhere: 'revision'), and the thread as an index
-- names it, where that is to learn it
-- What is older than what is known changes nothing; a conversation that was forgotten is not brought back.
local function confirm(keys, args)
  local owed, persons = keys[1], 1 + #args / 3
  for n = 1, #args / 3 do
    local conversation, person = keys[n + 1], nil
    local id, posted, thread = unpack(args, 3 * n - 2, 3 * n)
    local revision = string.match(posted, '^%d+')
    id = named(id, conversation)
    if thread ~= '' then
      persons = persons + 1
      person = keys[persons]
    end
    local stored, before = unpack(redis.call('HMGET', conversation, 'revision', 'posted'))
    local known = tonumber(before and string.match(before, '^%d+') or 0)
    if stored and posted ~= revision and tonumber(revision) >= known then
      redis.call('HSET', conversation, 'posted', posted)
      local entry = person and redis.call('HGET', person, id)
      local head, its_thread, guide = string.match(entry or '', '^(%S+ %S+ %S*) (%S*) (%S*)$')
      if head and (its_thread == '' or tonumber(revision) >= tonumber(stored)) then
        redis.call('HSET', person, id, head .. ' ' .. thread .. ' ' .. guide)
      end
    end
    -- Last: a full server has refused the lines above, and the answer stays owed with its place.
    redis.call('ZREM', owed, id .. ':' .. revision)
  end
end
