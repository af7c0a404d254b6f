// The scripts that the state's Redis runs as one step each. redis-keys.ts has their keys.

/**
 * Begins each script that reads or writes the state: KEYS are meta, rows, order. It refuses damage: a key of another
 * type, rows and list of keys of different lengths, or another number of rows than after the last commit. Redis evicted
 * a key then, or a person edited the state. Each commit writes rows, list and size in one step. Rows without their meta
 * are damage too.
 */
const refuseDamaged = `
local identity
local function findDamage()
  local lengths = {}
  for at, kind in ipairs({{'HLEN', 'hash'}, {'HLEN', 'hash'}, {'ZCARD', 'sorted set'}}) do
    local length = redis.pcall(kind[1], KEYS[at])
    if type(length) == 'table' then
      if not string.find(length.err, 'WRONGTYPE', 1, true) then return length end
      return redis.error_reply('DAMAGED the key ' .. KEYS[at] .. ' is no ' .. kind[2])
    end
    lengths[at] = length
  end
  if lengths[2] ~= lengths[3] then
    return redis.error_reply(string.format('DAMAGED the key %s holds %.0f rows, and the key %s lists %.0f', KEYS[2], lengths[2], KEYS[3], lengths[3]))
  end
  if lengths[1] == 0 then
    if lengths[2] == 0 then return end
    return redis.error_reply(string.format('DAMAGED the key %s is missing, and the key %s holds %.0f rows', KEYS[1], KEYS[2], lengths[2]))
  end
  local counted = redis.call('HMGET', KEYS[1], 'generation', 'size', 'identity')
  identity = counted[3]
  local generation, rows = string.match(counted[2] or '', '^(%d+):(%d+)$')
  if rows and generation == counted[1] and tonumber(rows) ~= lengths[2] then
    return redis.error_reply(string.format('DAMAGED the key %s holds %.0f rows, and the last change left %s', KEYS[2], lengths[2], rows))
  end
end
local damage = findDamage()
if damage then return damage end
local function refuseWithout(field)
  return redis.error_reply('DAMAGED the key ' .. KEYS[1] .. ' has no ' .. field)
end
`;

/**
 * Begins each script that reads or writes rows: ARGV[1] is the identity of the known state. No other state is read or
 * written, so that no process follows a state made in its place (I20).
 */
const refuseAnother = `${refuseDamaged}
if identity == false then return refuseWithout('identity') end
if not identity then return redis.error_reply('EMPTIED there is no state in it any more') end
if identity ~= ARGV[1] then return redis.error_reply('REPLACED another state is in it now') end
`;

/** The ways in which a process can lose its state. */
export type Loss = 'emptied' | 'replaced' | 'damaged';

const losses: ReadonlyMap<string, Loss> = new Map([
  ['EMPTIED', 'emptied'],
  ['REPLACED', 'replaced'],
  ['DAMAGED', 'damaged'],
]);

/** The refusal of such a script and its reason in words; undefined for any other error. */
export function lossOf(error: unknown): { readonly loss: Loss; readonly reason: string } | undefined {
  if (!(error instanceof Error && error.name === 'ReplyError')) return undefined;
  const [, word = '', reason = ''] = /^(\S+) (.*)$/s.exec(error.message) ?? [];
  const loss = losses.get(word);
  return loss && { loss, reason };
}

/**
 * KEYS meta, rows, order; ARGV schema, 1 to make a state if there is none, the identity of a new state. Returns the
 * schema of the state, its identity, its generation, and the number of quiet commits; an empty schema without a state.
 * Writes nothing if a state exists. A new state counts its generations from the time in milliseconds, so that a state
 * made again after a flush never repeats its former numbers.
 */
const prepareState = `${refuseDamaged}
local schema = redis.call('HGET', KEYS[1], 'schema')
if schema then
  if schema == ARGV[1] and not identity then return refuseWithout('identity') end
  return {schema, identity or '', redis.call('HGET', KEYS[1], 'generation') or '', redis.call('HGET', KEYS[1], 'quiet') or '0'}
end
if redis.call('EXISTS', KEYS[2]) == 1 then return {'none, but rows', '', '', ''} end
if ARGV[2] == '0' then return {'', '', '', ''} end
local time = redis.call('TIME')
local generation = time[1] .. string.sub('000000' .. time[2], -6, -4)
redis.call('HSET', KEYS[1], 'generation', generation, 'schema', ARGV[1], 'identity', ARGV[3])
return {ARGV[1], ARGV[3], generation, '0'}
`;

/**
 * KEYS meta, rows, order; ARGV identity, channel, 1 for a quiet commit, the numbers of conditions, puts and deletes,
 * then these: key and revision ('' for none), key and JSON, key. Returns {done, generation, number of commits that were
 * not quiet}. Its message: generation, keys, and the third number behind a `!`. The script writes the generation first:
 * a full or read-only Redis refuses this write, and nothing is changed.
 */
const commitState = `${refuseAnother}
local at = 1
local function take()
  at = at + 1
  return ARGV[at]
end
local channel, quiet, conditions, puts, deletes = take(), take(), tonumber(take()), tonumber(take()), tonumber(take())
local generation = tonumber(redis.call('HGET', KEYS[1], 'generation'))
for _ = 1, conditions do
  local key, wanted = take(), take()
  local row = redis.call('HGET', KEYS[2], key)
  if (row and string.match(row, '^%d+') or '') ~= wanted then return {0, generation, 0} end
end
if puts + deletes == 0 then return {1, generation, 0} end
generation = redis.call('HINCRBY', KEYS[1], 'generation', 1)
local notQuiet = generation - redis.call('HINCRBY', KEYS[1], 'quiet', quiet)
local revision = string.format('%.0f:', generation)
local written = {}
for _ = 1, puts do
  local key, text = take(), take()
  redis.call('HSET', KEYS[2], key, revision .. text)
  redis.call('ZADD', KEYS[3], 0, key)
  written[#written + 1] = key
end
for _ = 1, deletes do
  local key = take()
  redis.call('HDEL', KEYS[2], key)
  redis.call('ZREM', KEYS[3], key)
  written[#written + 1] = key
end
redis.call('HSET', KEYS[1], 'size', string.format('%.0f:%.0f', generation, redis.call('HLEN', KEYS[2])))
-- a user of Redis may be kept from channels: the others then find it when they ask
redis.pcall('PUBLISH', channel, string.format('%.0f ', generation) .. table.concat(written, ' ') .. string.format(' !%.0f', notQuiet))
return {1, generation, notQuiet}
`;

/** KEYS meta, rows, order; ARGV identity. Answers the generation, and how many commits were quiet. */
const lookAtState = `${refuseAnother}
return redis.call('HMGET', KEYS[1], 'generation', 'quiet')
`;

/** KEYS meta, rows, order; ARGV identity, key. Returns the row; nil if it is absent. */
const readState = `${refuseAnother}
return redis.call('HGET', KEYS[2], ARGV[2])
`;

/**
 * KEYS meta, rows, order; ARGV identity, first, last (as ZRANGEBYLEX has them), 1 for backwards, limit (-1: none).
 * Answers key, row, key, row…, of one moment.
 */
const rangeState = `${refuseAnother}
local keys
if ARGV[4] == '1' then
  keys = redis.call('ZREVRANGEBYLEX', KEYS[3], ARGV[3], ARGV[2], 'LIMIT', 0, ARGV[5])
else
  keys = redis.call('ZRANGEBYLEX', KEYS[3], ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[5])
end
local found = {}
for _, key in ipairs(keys) do
  found[#found + 1] = key
  found[#found + 1] = redis.call('HGET', KEYS[2], key) or ''
end
return found
`;

/**
 * KEYS rows, order, meta, then their new names. Returns the number of renamed keys. Servers of the former state then
 * find no state (I20).
 */
const setStateAside = `
local moved = 0
for at = 1, 3 do
  if redis.call('EXISTS', KEYS[at]) == 1 then
    redis.call('RENAME', KEYS[at], KEYS[at + 3])
    moved = moved + 1
  end
end
return moved
`;

/** Begins the scripts about servers. The clock is that of Redis, so the clocks of hosts need not agree. */
const serverMarks = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function eachMark(key, visit)
  local cursor = '0'
  repeat
    local page = redis.call('HSCAN', key, cursor)
    cursor = page[1]
    for at = 1, #page[2], 2 do
      local ends, text = string.match(page[2][at + 1], '^(%d+) (.*)$')
      visit(page[2][at], ends and tonumber(ends) > now and text)
    end
  until cursor == '0'
end
`;

/**
 * KEYS servers, meta; ARGV id of the server, its text ('' to remove it), milliseconds until the mark ends, identity.
 * Also removes ended marks. Without the known state in this place it writes nothing: an emptied Redis stays empty.
 */
const markServer = `${serverMarks}
if redis.call('HGET', KEYS[2], 'identity') ~= ARGV[4] then return end
eachMark(KEYS[1], function(id, text)
  if not text or id == ARGV[1] then redis.call('HDEL', KEYS[1], id) end
end)
if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f ', now + ARGV[3]) .. ARGV[2])
end
`;

/** KEYS servers. Returns the texts of the servers whose marks have not ended. */
const listServers = `${serverMarks}
local found = {}
eachMark(KEYS[1], function(_, text)
  if text then found[#found + 1] = text end
end)
return found
`;

export const stateScripts = {
  prepareState: { lua: prepareState, numberOfKeys: 3 },
  lookAtState: { lua: lookAtState, numberOfKeys: 3 },
  commitState: { lua: commitState, numberOfKeys: 3 },
  readState: { lua: readState, numberOfKeys: 3 },
  rangeState: { lua: rangeState, numberOfKeys: 3 },
  setStateAside: { lua: setStateAside, numberOfKeys: 6 },
  markServer: { lua: markServer, numberOfKeys: 2 },
  listServers: { lua: listServers, numberOfKeys: 1 },
};
