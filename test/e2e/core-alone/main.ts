// A server of the core alone: it serves a built tree to three tokens of its own. core-alone.series.test.ts compiles it where
// only proxy/core, build/contract and build/shared exist. Arguments: the data folder, and the file of the log. It
// prints its port and its tokens.

import { randomBytes } from 'node:crypto';
import { createMemoryCounters } from '../../../proxy/core/limits/memory-counters.ts';
import { openLog } from '../../../proxy/core/observe/log.ts';
import { createProxy } from '../../../proxy/core/server.ts';
import { createMemoryStore } from '../../../proxy/core/state/memory-store.ts';
import { createAuthenticator } from '../../../proxy/core/tokens/authenticate.ts';
import { mintToken } from '../../../proxy/core/tokens/token-format.ts';
import { mintTokenId, tokenHashKey, tokenKey, type TokenRecord } from '../../../proxy/core/tokens/token.ts';
import { createLocalFiles } from '../../../proxy/core/tree/local-files.ts';
import { noLimits } from '../../../proxy/core/views/token-limits.ts';

const [dataDirectory = '', destination = ''] = process.argv.slice(2);
const store = createMemoryStore();
const { logger, logRequest, close } = openLog({ destination, now: Date.now, onError: (error) => console.error(error) });

async function createToken(limits: Partial<Pick<TokenRecord, 'limit' | 'packages'>>): Promise<string> {
  const { secret, hash } = mintToken('read', randomBytes);
  const id = mintTokenId(randomBytes);
  const made = { description: 'core alone', created_at: new Date().toISOString(), created_by: 'core-alone' };
  const ends = { expires_at: null, revoked_at: null, previous_hash: null, previous_expires_at: null };
  const value = { id, kind: 'read', hash, limit: null, ...made, ...ends, ...noLimits, ...limits };
  const puts = [
    { key: tokenKey(id), value },
    { key: tokenHashKey(hash), value: id },
  ];
  await store.commit({ conditions: [], puts, deletes: [] });
  return secret.reveal();
}

const proxy = await createProxy({
  dataDirectory,
  files: createLocalFiles({ dataDirectory, cacheBytes: 16 * 1024 ** 2, onNewer: (err) => logger.error({ err }) }),
  authenticator: createAuthenticator(store),
  counters: createMemoryCounters(),
  log: logger,
  logRequest,
  host: '127.0.0.1',
  port: 0,
  trustedProxies: [],
  now: Date.now,
});
const { port } = await proxy.listen();
process.once('SIGTERM', () => void proxy.close().then(close));

const tokens = {
  reader: await createToken({}),
  limited: await createToken({ packages: ['acme/hello'] }),
  scarce: await createToken({ limit: 2 }),
};
process.stdout.write(`${JSON.stringify({ port, tokens })}\n`);
