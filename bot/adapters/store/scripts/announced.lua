-- What channels have of some topics, and the server's time.
-- KEYS: announced...
-- ARGV: of each key, in the same order: number of topics, topic...
-- Returns {seconds, microseconds, {value or false, ...}...}, the values in the order of the topics.
local answer, at = redis.call('TIME'), 1
for n, key in ipairs(KEYS) do
  local count, found = tonumber(ARGV[at]), {}
  for topic = 1, count do found[topic] = redis.call('HGET', key, ARGV[at + topic]) end
  answer[n + 2] = found
  at = at + count + 1
end
return answer
