-- One turn, all or nothing: claim the event, compare the revision, write, index, mark the answer as owed.
-- KEYS: claim, conversation, person, kept, waiting, going, and those of confirmations.lua: owed...
-- ARGV: token, id (or empty), revision, data, entry, incident, due, flags, seconds a record lives, and those of
-- confirmations.lua...; CLAIMED: seconds a claim lives
--   token      names this attempt: a repeat after a lost answer finds its own claim and is told "stored" again
--   entry      'state touched channel thread guide' as the person's index holds it; empty when closed
--   flags      's' where an answer is to be shown, 'a' where the writer does not know where the last one was shown
--   due        when its silence is to be looked at, 'inf' for never; empty when it has come to its end
-- Returns {'stored', posted where it is asked for}, 'duplicate', {'taken', id} or
-- {'conflict', data or false, posted or false}.
local claim, conversation, person, kept, waiting, going, owed = unpack(KEYS, 1, 7)
local token, id, revision, data, entry, incident, due, flags, lives = unpack(ARGV, 1, 9)
id = named(id, conversation)

local function done()
  return {'stored', string.find(flags, 'a') ~= nil and redis.call('HGET', conversation, 'posted')}
end

local holder = redis.call('GET', claim)
if holder == token then return done() end
if holder then return 'duplicate' end

local stored = redis.call('HGET', conversation, 'revision') or '0'
if tonumber(stored) ~= tonumber(revision) - 1 then
  return {'conflict', unpack(redis.call('HMGET', conversation, 'data', 'posted'))}
end

local pattern = '^(%S+) %S+ (%S*) %S* (%S*)$'
local state, channel, guide = string.match(entry, pattern)
if revision == '1' and state == 'open' and guide ~= '' then
  local entries = redis.call('HGETALL', person)
  for at = 1, #entries, 2 do
    local its_state, its_channel, its_guide = string.match(entries[at + 1], pattern)
    if its_state == 'open' and its_channel == channel and its_guide == guide then
      return {'taken', entries[at]}
    end
  end
end

-- The first write is one that a full server refuses, so that it refuses all of this or nothing.
redis.call('SET', claim, token, 'EX', CLAIMED)
redis.call('HSET', conversation, 'revision', revision, 'data', data)
redis.call('EXPIRE', conversation, lives)

local time = redis.call('TIME')
local now = string.format('%d.%06d', time[1], time[2])
redis.call('ZADD', kept, now, id)
redis.call('ZREMRANGEBYSCORE', kept, '-inf', time[1] - lives)
redis.call('EXPIRE', kept, lives)

if state then
  -- A writer that has not learnt of the thread yet does not take it out of the index.
  local head, rest = string.match(entry, '^(%S+ %S+ %S*)  (%S*)$')
  local thread = head and string.match(redis.call('HGET', person, id) or '', '^%S+ %S+ %S* (%S+) %S*$')
  redis.call('HSET', person, id, thread and head .. ' ' .. thread .. ' ' .. rest or entry)
else
  redis.call('HDEL', person, id)
end
redis.call('EXPIRE', person, lives)

if state == 'waiting' then
  redis.call('HSET', waiting, id, incident)
  redis.call('EXPIRE', waiting, lives)
else
  redis.call('HDEL', waiting, id)
end

if due ~= '' then
  redis.call('ZADD', going, due, id)
  redis.call('EXPIRE', going, lives)
else
  redis.call('ZREM', going, id)
end

-- The answer of the revision before is settled by this one.
redis.call('ZREM', owed, id .. ':' .. stored)
if string.find(flags, 's') then
  redis.call('ZADD', owed, now, id .. ':' .. revision)
  redis.call('EXPIRE', owed, lives)
end
confirm({unpack(KEYS, 7)}, {unpack(ARGV, 10)})
return done()
