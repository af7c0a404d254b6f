// The last use of each token: its time and client address. Requests note it in memory; a timer writes all noted uses
// together, so that no request waits for a disk. The write has no audit event, and is quiet: authenticators cache
// tokens until the generation of the state moves.

import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
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
  /** The last use of each used token. Uses in other processes appear up to `flushMs` later. */
  readonly of: (ids: readonly TokenId[]) => Promise<ReadonlyMap<TokenId, TokenUse>>;
  /** Writes the noted uses. */
  readonly close: () => Promise<void>;
}

export interface TokenUsesOptions {
  readonly store: Pick<StateStore, 'get' | 'commit'>;
  /** Reports a failed write, which the next use repeats. */
  readonly onError: (error: unknown) => void;
  readonly flushMs?: number;
}

export function tokenUseKey(id: TokenId): string {
  return `token-use/${id}`;
}

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
    writing = writing.then(() => write(store, noted)).catch(onError);
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

/** Removes the written uses from `noted`. */
async function write(store: TokenUsesOptions['store'], noted: Map<TokenId, TokenUse>): Promise<void> {
  const uses = [...noted];
  const stored = await readUses(
    store,
    uses.map(([id]) => id),
  );
  // another process may have stored a later use
  const news = uses.filter(([id, { atMs }]) => atMs > (stored.get(id)?.atMs ?? 0));
  if (news.length > 0)
    await store.commit({
      conditions: [],
      puts: news.map(([id, { atMs, from }]) => ({
        key: tokenUseKey(id),
        value: { at: new Date(atMs).toISOString(), from },
      })),
      deletes: [],
      quiet: true,
    });
  for (const [id, use] of uses) if (noted.get(id) === use) noted.delete(id);
}

/** The uses as stored, without those in memory. */
export async function readUses(
  store: Pick<StateStore, 'get'>,
  ids: readonly TokenId[],
): Promise<ReadonlyMap<TokenId, TokenUse>> {
  const found = await Promise.all(
    ids.map(async (id) => [id, parseUse((await store.get(tokenUseKey(id)))?.value)] as const),
  );
  return new Map(found.flatMap(([id, use]) => (use === undefined ? [] : [[id, use] as const])));
}

/** undefined for a malformed row, which is ignored. */
export function parseUse(value: JsonValue | undefined): TokenUse | undefined {
  if (!isJsonObject(value) || typeof value['at'] !== 'string' || typeof value['from'] !== 'string') return undefined;
  const atMs = Date.parse(value['at']);
  return Number.isNaN(atMs) ? undefined : { atMs, from: value['from'] };
}
