// When and from where each token was used last. Noted in memory with every request and written together, a few seconds
// later: nothing of a request waits for a disk. Nobody's decision, so no audit event; and quiet, since the
// authenticator, of every host, remembers tokens for as long as the state's generation stands.

import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { StateStore } from '../state/state-store.ts';
import type { TokenId } from './token.ts';

export interface TokenUse {
  /** epoch milliseconds */
  readonly atMs: number;
  /** the client's address */
  readonly from: string;
}

export interface TokenUses {
  /** Cheap: runs on every request. */
  readonly note: (id: TokenId, use: TokenUse) => void;
  /** The last use of each that was ever used, by any process; of others up to `flushMs` late. */
  readonly of: (ids: readonly TokenId[]) => Promise<ReadonlyMap<TokenId, TokenUse>>;
  /** Writes what was noted. */
  readonly close: () => Promise<void>;
}

export interface TokenUsesOptions {
  readonly store: Pick<StateStore, 'get' | 'commit'>;
  /** A write failed: it is tried again with the next use. */
  readonly onError: (error: unknown) => void;
  readonly flushMs?: number;
}

const keyOf = (id: TokenId): string => `token-use/${id}`;

export function createTokenUses({ store, onError, flushMs = 10_000 }: TokenUsesOptions): TokenUses {
  const noted = new Map<TokenId, TokenUse>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const note: TokenUses['note'] = (id, use) => {
    noted.set(id, use);
    timer ??= setTimeout(flush, flushMs).unref();
  };
  const flush = (): void => {
    timer = undefined;
    writing = writing.then(write);
  };
  const write = async (): Promise<void> => {
    const uses = [...noted];
    try {
      const stored = await readUses(
        store,
        uses.map(([id]) => id),
      );
      // another process may have seen a later one
      const news = uses.filter(([id, { atMs }]) => atMs > (stored.get(id)?.atMs ?? 0));
      if (news.length > 0)
        await store.commit({
          conditions: [],
          puts: news.map(([id, { atMs, from }]) => ({
            key: keyOf(id),
            value: { at: new Date(atMs).toISOString(), from },
          })),
          deletes: [],
          quiet: true,
        });
      for (const [id, use] of uses) if (noted.get(id) === use) noted.delete(id);
    } catch (error) {
      onError(error);
    }
  };
  return {
    note,
    of: async (ids) => {
      const uses = new Map(await readUses(store, ids));
      for (const id of ids) {
        const use = noted.get(id);
        if (use !== undefined && use.atMs >= (uses.get(id)?.atMs ?? 0)) uses.set(id, use);
      }
      return uses;
    },
    close: () => {
      clearTimeout(timer);
      flush();
      return writing;
    },
  };
}

/** As stored. */
export async function readUses(
  store: Pick<StateStore, 'get'>,
  ids: readonly TokenId[],
): Promise<ReadonlyMap<TokenId, TokenUse>> {
  const found = await Promise.all(ids.map(async (id) => [id, parseUse((await store.get(keyOf(id)))?.value)] as const));
  return new Map(found.flatMap(([id, use]) => (use === undefined ? [] : [[id, use] as const])));
}

/** What is malformed was never written by us, and is not worth refusing anything for. */
export function parseUse(value: JsonValue | undefined): TokenUse | undefined {
  if (!isJsonObject(value) || typeof value['at'] !== 'string' || typeof value['from'] !== 'string') return undefined;
  const atMs = Date.parse(value['at']);
  return Number.isNaN(atMs) ? undefined : { atMs, from: value['from'] };
}
