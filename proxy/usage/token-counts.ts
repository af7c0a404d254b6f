// Counts which token uses which version, if the setting `statistics.by` is `token`. A request increments one number.
// Every few seconds, and at the end of the service, the numbers are added to the rows of the state, without audit
// events. A killed process loses a few seconds of them. While they cannot be written, 100,000 are kept in memory.

import { storageFaultOf } from '../../build/contract/storage-fault.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { addUses, type NewUses } from './add-uses.ts';
import { noteCounting, removeExpired } from './expired-uses.ts';
import { addedUses, dayBefore, mostKept, type Keeping, type Uses } from './usage-row.ts';
import { clientInWords, userOfToken } from './user-of-token.ts';

export interface TokenCounts {
  /** Cheap: runs on every download (`[1, 0]`) and reported install. Without a token nothing is counted. */
  readonly count: (name: string, version: string, uses: Uses, token?: string, client?: string) => void;
  /** Stores the counts. A full or read-only disk stops no reader: then they stay in memory. */
  readonly settle: () => Promise<void>;
  readonly flush: () => Promise<void>;
  /** Stores the counts, and ends. */
  readonly close: () => Promise<void>;
}

export interface TokenCountsOptions {
  readonly state: StateStore;
  /** epoch milliseconds */
  readonly now: () => number;
  /** the setting `statistics.by` */
  readonly by: () => MaybeAsync<string>;
  /** days without use after which a row is removed */
  readonly retention: () => MaybeAsync<number>;
  /** gets errors of counts that could not be stored: they are tried again */
  readonly onError: (error: unknown) => void;
  /** gets a sentence about rows that are no longer kept */
  readonly onCut?: (sentence: string) => void;
  /** milliseconds between two writes; 0: only on request */
  readonly everyMs?: number;
  /** default: 5000 rows, 100 versions */
  readonly most?: Pick<Keeping, 'mostRows' | 'mostVersions'>;
  /** counts that wait in memory; default 100,000 */
  readonly mostPending?: number;
}

/** By package, token and version, with a tab between. */
type Counts = Map<string, Counted>;
type Counted = [...Uses, client: string | undefined];

const rowsInCommit = 200;
const longestClient = 300; // Composer's User-Agent is shorter; it waits in memory
const full =
  'The counts by token cannot be stored, and too many wait in memory: further uses are not counted until then';

export function createTokenCounts(options: TokenCountsOptions): TokenCounts {
  const { everyMs = 5000, onError } = options;
  const writer = new CountWriter(options);
  const timer = everyMs === 0 ? undefined : setInterval(() => void writer.flush().catch(onError), everyMs);
  timer?.unref();
  return {
    count: (name, version, uses, token, client) => {
      const known = client !== undefined && client.length <= longestClient ? client : undefined;
      if (token !== undefined) writer.count(`${name}\t${token}\t${version}`, [...uses, known]);
    },
    flush: () => writer.flush(),
    settle: () =>
      writer.flush().catch((error: unknown) => {
        if (storageFaultOf(error) === undefined) throw error; // the timer reports the fault
      }),
    close: async () => {
      clearInterval(timer);
      await writer.flush();
    },
  };
}

class CountWriter {
  readonly #options: TokenCountsOptions;
  #pending: Counts = new Map();
  #writing: Promise<void> = Promise.resolve();
  /** day and setting of the last write: only a change of them concerns the other rows */
  #noted = '';
  /** true: a count was left out since the last write */
  #isFull = false;

  constructor(options: TokenCountsOptions) {
    this.#options = options;
  }

  count(key: string, [downloads, installs, client]: Counted): void {
    const known = this.#pending.get(key);
    if (known !== undefined) {
      known[0] += downloads;
      known[1] += installs;
      known[2] = client;
    } else if (this.#pending.size < (this.#options.mostPending ?? 100_000))
      this.#pending.set(key, [downloads, installs, client]);
    else {
      if (!this.#isFull) this.#options.onCut?.(full);
      this.#isFull = true;
    }
  }

  flush(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write()); // its own caller got the error
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { state, now, by, retention, onCut } = this.#options;
    const { most = mostKept } = this.#options;
    const isOn = (await by()) === 'token';
    const today = new Date(now()).toISOString().slice(0, 10);
    const oldest = dayBefore(today, (await retention()) - 1);
    if (this.#noted !== `${today} ${isOn}`) {
      if (await noteCounting(state, isOn, today)) await removeExpired(state, oldest, today);
      this.#noted = `${today} ${isOn}`;
    }
    const counted = this.#pending;
    this.#pending = new Map();
    if (!isOn || counted.size === 0) return;
    try {
      const rows = await byUser(state, counted);
      while (rows.length > 0) {
        const chunk = rows.slice(0, rowsInCommit);
        for (const sentence of await addUses(state, chunk, { today, oldest, ...most })) onCut?.(sentence);
        for (const { keys } of rows.splice(0, rowsInCommit)) for (const key of keys) counted.delete(key);
      }
      this.#isFull = false;
    } catch (error) {
      for (const [key, uses] of counted) this.count(key, uses);
      throw error;
    }
  }
}

/** The uses of each row. Jobs of one ref of a publisher share a row. */
async function byUser(state: StateStore, counted: Counts): Promise<(NewUses & { readonly keys: readonly string[] })[]> {
  const uses = [...counted].map(([key, [downloads, installs, client]]) => {
    const [name = '', token = '', version = ''] = key.split('\t');
    return { key, name, token, version, client, more: [downloads, installs] as const };
  });
  const ids = new Set(uses.map(({ token }) => token));
  const users = new Map(await Promise.all([...ids].map(async (id) => [id, await userOfToken(state, id)] as const)));
  const rows = new Map<string, NewUses & { readonly keys: string[]; readonly versions: Map<string, Uses> }>();
  for (const { key, name, token, version, client, more } of uses) {
    const user = users.get(token);
    if (user === undefined) continue;
    const place = `${name} ${user.key}`;
    const who = { ...user.who, client: clientInWords(client) };
    if (!rows.has(place)) rows.set(place, { name, user: user.key, who, keys: [], versions: new Map() });
    const { keys, versions } = rows.get(place) as { keys: string[]; versions: Map<string, Uses> };
    keys.push(key);
    versions.set(version, addedUses(versions.get(version), more));
  }
  return [...rows.values()];
}
