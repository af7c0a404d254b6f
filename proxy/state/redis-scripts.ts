// What the state's Redis is asked to do as one step, and where its rows lie there.
//
//   libretto:state:rows    hash: key → `<revision>:<JSON>`
//   libretto:state:order   sorted set of the keys, all with score 0: in the order of their bytes
//   libretto:state:meta    hash: schema, generation, quiet (how many commits were)

export interface StatePlace {
  readonly rows: string;
  readonly order: string;
  readonly meta: string;
  /** where each commit is told; channels, unlike keys, are shared by all databases of a Redis */
  readonly channel: string;
}

export function placeOf(database: number): StatePlace {
  return { rows: 'libretto:state:rows', order: 'libretto:state:order', meta: 'libretto:state:meta', channel: `libretto:state:${database}:commits` };
}

/**
 * KEYS rows, meta; ARGV schema, 1 to make a state where there is none. Answers the schema of the state; '' where there is none.
 * A new state counts its generations from the time in milliseconds on: one that was emptied never repeats the numbers it had before.
 */
const prepareState = `
local schema = redis.call('HGET', KEYS[2], 'schema')
if schema then return schema end
if redis.call('EXISTS', KEYS[1]) == 1 then return 'none, but rows' end
if ARGV[2] == '0' then return '' end
local time = redis.call('TIME')
local generation = time[1] .. string.sub('000000' .. time[2], -6, -4)
redis.call('HSET', KEYS[2], 'generation', generation, 'schema', ARGV[1])
return ARGV[1]
`;

/**
 * KEYS rows, order, meta; ARGV channel, 1 for a quiet commit, how many conditions, puts and deletes, then those: key and revision ('' for none), key and JSON, key.
 * Answers {done, generation, how many of all commits were not quiet}. Its message: generation, keys, and behind a `!` the last of those. The generation goes first: where Redis refuses to write (full, read-only), it refuses that, and nothing is changed.
 */
const commitState = `
local at = 0
local function take()
  at = at + 1
  return ARGV[at]
end
local channel, quiet, conditions, puts, deletes = take(), take(), tonumber(take()), tonumber(take()), tonumber(take())
local generation = tonumber(redis.call('HGET', KEYS[3], 'generation'))
if not generation then return redis.error_reply('EMPTIED there is no state in this Redis any more') end
for _ = 1, conditions do
  local key, wanted = take(), take()
  local row = redis.call('HGET', KEYS[1], key)
  if (row and string.match(row, '^%d+') or '') ~= wanted then return {0, generation, 0} end
end
if puts + deletes == 0 then return {1, generation, 0} end
generation = redis.call('HINCRBY', KEYS[3], 'generation', 1)
local loud = generation - redis.call('HINCRBY', KEYS[3], 'quiet', quiet)
local revision = string.format('%.0f:', generation)
local written = {}
for _ = 1, puts do
  local key, text = take(), take()
  redis.call('HSET', KEYS[1], key, revision .. text)
  redis.call('ZADD', KEYS[2], 0, key)
  written[#written + 1] = key
end
for _ = 1, deletes do
  local key = take()
  redis.call('HDEL', KEYS[1], key)
  redis.call('ZREM', KEYS[2], key)
  written[#written + 1] = key
end
-- a user of Redis may be kept from channels: the others then hear of it by asking
redis.pcall('PUBLISH', channel, string.format('%.0f ', generation) .. table.concat(written, ' ') .. string.format(' !%.0f', loud))
return {1, generation, loud}
`;

/** KEYS rows, order; ARGV first, last (as ZRANGEBYLEX has them), 1 for backwards, limit (-1: none). Answers key, row, key, row…, of one moment. */
const rangeState = `
local keys
if ARGV[3] == '1' then
  keys = redis.call('ZREVRANGEBYLEX', KEYS[2], ARGV[2], ARGV[1], 'LIMIT', 0, ARGV[4])
else
  keys = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[4])
end
local found = {}
for _, key in ipairs(keys) do
  found[#found + 1] = key
  found[#found + 1] = redis.call('HGET', KEYS[1], key) or ''
end
return found
`;

export const stateScripts = {
  prepareState: { lua: prepareState, numberOfKeys: 2 },
  commitState: { lua: commitState, numberOfKeys: 3 },
  rangeState: { lua: rangeState, numberOfKeys: 2 },
};
