// Tests the authentication of an Authorization header, and the cache of tokens and its invalidation.

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createAuthenticator,
  type ActiveToken,
  type Authentication,
  type Authenticator,
} from '../../../../../proxy/core/tokens/authenticate.ts';
import { mintToken } from '../../../../../proxy/core/tokens/token-format.ts';
import type { TokenRecord } from '../../../../../proxy/core/tokens/token.ts';
import { createTokens, type Tokens } from '../../../../../proxy/auth/tokens.ts';
import type { TokenDraft } from '../../../../../proxy/auth/token-fields.ts';
import { createAuditedStore } from '../../../../../proxy/state/audit.ts';
import { openLmdbStore } from '../../../../../proxy/state/lmdb-store.ts';
import { createMemoryStore } from '../../../../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../../../../proxy/core/state/state-store.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../../util/temporary-folder.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

let store: StateStore;
let tokens: Tokens;
let reads: string[];
let authenticator: Authenticator;

const tokensOf = (state: StateStore): Tokens =>
  createTokens({
    store: createAuditedStore({ store: state, now: () => now }),
    now: () => now,
    randomBytes,
    actor: 'cli:ada',
  });

beforeEach(() => {
  store = createMemoryStore();
  reads = [];
  tokens = tokensOf(store);
  authenticator = createAuthenticator(watched(store));
});

/** The store, with a list of every key that is read. */
function watched(state: StateStore): Pick<StateStore, 'get' | 'range' | 'generation'> {
  return {
    generation: state.generation,
    range: (prefix, options) => {
      reads.push(`${prefix}*`);
      return state.range(prefix, options);
    },
    get: (key) => {
      reads.push(key);
      return state.get(key);
    },
  };
}

async function create(part: Partial<TokenDraft> = {}): Promise<{ record: TokenRecord; text: string }> {
  const { record, secret } = await tokens.create({ description: 'test', kind: 'read', ...part });
  return { record, text: secret.reveal() };
}

const tokenOf = (authentication: Authentication): ActiveToken | undefined =>
  authentication.outcome === 'valid' ? authentication.token : undefined;

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

describe('an issued token', () => {
  it('is accepted as Bearer, and as the password of any Basic user', async () => {
    const { record, text } = await create();
    const valid: Authentication = {
      outcome: 'valid',
      token: { id: record.id, kind: 'read', limit: 1000, view: undefined, networks: undefined },
    };
    for (const header of [
      `Bearer ${text}`,
      `bearer ${text}`,
      `BEARER   ${text}`,
      basic('token', text),
      basic('', text),
      basic('a b', text),
      basic('jürgen', text),
      basic('x', text).replace('Basic', 'basic'),
    ]) {
      expect(await authenticator.authenticate(header, now), header).toEqual(valid);
    }
  });

  it('has its own limit, or the default of its kind', async () => {
    const limitOf = async (part: Partial<TokenDraft>, known = authenticator): Promise<unknown> =>
      tokenOf(await known.authenticate(`Bearer ${(await create(part)).text}`, now));
    expect(await limitOf({ kind: 'write' })).toMatchObject({ kind: 'write', limit: 500 });
    expect(await limitOf({ limit: 7 })).toMatchObject({ limit: 7 });
    expect(await limitOf({ limit: 0 })).toMatchObject({ limit: 0 });
    expect(
      await limitOf({ kind: 'read' }, createAuthenticator(store, { defaultLimits: () => ({ read: 3, write: 4 }) })),
    ).toMatchObject({ limit: 3 });
  });

  it('is looked up once, and later answers come from the cache', async () => {
    const { text } = await create();
    await authenticator.authenticate(`Bearer ${text}`, now);
    expect(reads).toHaveLength(2);
    expect(authenticator.authenticate(`Bearer ${text}`, now)).toMatchObject({ outcome: 'valid' });
    expect(authenticator.authenticate(basic('x', text), now)).toMatchObject({ outcome: 'valid' });
    expect(reads).toHaveLength(2);
  });

  it('expires at the exact time, also while it is cached', async () => {
    const { text } = await create({ expiresAt: new Date(now + 1000) });
    const at = (nowMs: number) => authenticator.authenticate(`Bearer ${text}`, nowMs);
    expect(await at(now + 999)).toMatchObject({ outcome: 'valid' });
    expect(at(now + 1000)).toEqual({ outcome: 'invalid' });
    expect(await createAuthenticator(store).authenticate(`Bearer ${text}`, now + 1000)).toEqual({ outcome: 'invalid' });
  });

  it('follows every change with the next request', async () => {
    const { record, text } = await create();
    const limit = async (): Promise<unknown> => tokenOf(await authenticator.authenticate(`Bearer ${text}`, now));
    expect(await limit()).toMatchObject({ limit: 1000 });
    await tokens.update(record.id, { limit: 9 });
    expect(await limit()).toMatchObject({ limit: 9 });
    await tokens.revoke(record.id);
    expect(await authenticator.authenticate(`Bearer ${text}`, now)).toEqual({ outcome: 'invalid' });
  });

  it('a token that is revoked during its look-up is not cached', async () => {
    const [{ record, text }, other] = [await create(), await create()];
    let interfere = async (): Promise<void> => {
      interfere = () => Promise.resolve();
      await tokens.revoke(record.id);
      await slow.authenticate(`Bearer ${other.text}`, now);
    };
    const slow = createAuthenticator({
      generation: store.generation,
      range: store.range,
      get: async (key) => {
        const entry = await store.get(key);
        // another process and another request act between this read and its use
        if (key === `token/${record.id}`) await interfere();
        return entry;
      },
    });
    await slow.authenticate(`Bearer ${text}`, now);
    expect(await slow.authenticate(`Bearer ${text}`, now)).toEqual({ outcome: 'invalid' });
  });

  it('makes room for other tokens when the cache is full', async () => {
    const small = createAuthenticator(watched(store), { capacity: 2 });
    const texts = [(await create()).text, (await create()).text, (await create()).text];
    for (const text of [...texts, ...texts])
      expect(await small.authenticate(`Bearer ${text}`, now)).toMatchObject({ outcome: 'valid' });
    expect(small.authenticate(`Bearer ${texts[2]}`, now)).not.toBeInstanceOf(Promise);
    expect(await small.authenticate(`Bearer ${texts[0]}`, now)).toMatchObject({ outcome: 'valid' });
  });
});

describe('an unusable Authorization header', () => {
  it('differs from a missing one', () => {
    expect(authenticator.authenticate(undefined, now)).toEqual({ outcome: 'absent' });
    expect(authenticator.authenticate('', now)).toEqual({ outcome: 'absent' });
  });

  it('row 28: is refused by its form, without a read of the state', async () => {
    const { text } = await create();
    const headers = [
      'Bearer',
      'Bearer ',
      `Bearer ${text.slice(0, -1)}`,
      `Bearer ${text}x`,
      `Bearer ${text} ${text}`,
      `Bearer ${text},`,
      text,
      ` Bearer ${text}`,
      `Token ${text}`,
      `Digest ${text}`,
      'Basic',
      'Basic !',
      basic(text, ''),
      basic(text, 'x-oauth-basic'),
      `Basic ${Buffer.from(text).toString('base64')}`,
      basic('x'.repeat(2000), text),
      'Bearer '.repeat(500),
    ];
    for (const header of headers)
      expect(authenticator.authenticate(header, now), header.slice(0, 80)).toEqual({ outcome: 'invalid' });
    expect(reads).toEqual([]);
  });

  it('row 23: gets the same answer for an unknown, an expired and a revoked token', async () => {
    const unknown = mintToken('read', randomBytes).secret.reveal();
    const expired = (await create({ expiresAt: new Date(now + 1) })).text;
    const revoked = await create();
    await tokens.revoke(revoked.record.id);
    for (const text of [unknown, expired, revoked.text])
      expect(await authenticator.authenticate(`Bearer ${text}`, now + 1)).toEqual({ outcome: 'invalid' });
  });
});

describe('with the state shared by the stores of two processes', () => {
  let folder: TemporaryFolder;
  let server: StateStore;
  let commandLine: StateStore;

  beforeEach(async () => {
    folder = temporaryFolder('auth');
    server = await openLmdbStore(folder.path);
    commandLine = await openLmdbStore(folder.path);
  });

  afterEach(async () => {
    await server.close();
    await commandLine.close();
    await folder.remove();
  });

  it('a revocation applies to the next request', async () => {
    const known = createAuthenticator(server);
    const { record, secret } = await tokensOf(commandLine).create({ description: 'test', kind: 'read' });
    const header = `Bearer ${secret.reveal()}`;
    expect(await known.authenticate(header, now)).toMatchObject({ outcome: 'valid' });
    expect(known.authenticate(header, now)).toMatchObject({ outcome: 'valid' });
    await tokensOf(commandLine).revoke(record.id);
    expect(await known.authenticate(header, now)).toEqual({ outcome: 'invalid' });
  });
});

describe('a text that could be the secret of another registry', () => {
  const foreign = '0123456789abcdef'.repeat(4);

  it('costs one read of the state until the state changes, while no such secret exists', async () => {
    for (const text of [foreign, foreign, `${foreign}0`])
      expect(await authenticator.authenticate(`Bearer ${text}`, now)).toEqual({ outcome: 'invalid' });
    expect(reads).toEqual(['token-foreign/*']);
    await create();
    await authenticator.authenticate(`Bearer ${foreign}`, now);
    expect(reads).toEqual(['token-foreign/*', 'token-foreign/*']);
  });

  it('is never short, and never has the prefix of a token of ours', async () => {
    for (const text of [foreign.slice(0, 31), `lib_r_${foreign}`, ''])
      expect(await authenticator.authenticate(`Bearer ${text}`, now)).toEqual({ outcome: 'invalid' });
    expect(reads).toEqual([]);
  });
});
