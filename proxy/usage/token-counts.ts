// Counts which token uses which version, if the setting `statistics.by` is `token`. A request increments one number.
// Every few seconds, and at the end of the service, the numbers are added to the rows of the state, without audit
// events. A killed process loses a few seconds of them.

import { storageFaultOf } from '../../build/contract/storage-fault.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { addUses, type NewUses } from './add-uses.ts';
import { noteCounting, removeUnused } from './expired-uses.ts';
import { dayBefore, sumOfUses, type Keeping, type PackageUser, type Uses } from './usage-row.ts';
import { userOfToken } from './user-of-token.ts';

export interface TokenCounts {
  /** Counts one more archive; cheap: runs on every download. Without a token nothing is counted. */
  readonly download: (name: string, version: string, token: string | undefined) => void;
  /** Counts one more install that a client reported. */
  readonly install: (name: string, version: string, token: string | undefined) => void;
  /** Stores the counts. A full or read-only disk stops no reader: they stay in memory. */
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
  /** for tests: default 5000 rows of a package, 100 versions of a row */
  readonly most?: Pick<Keeping, 'mostRows' | 'mostVersions'>;
}

type Counts = Map<string, Map<string, Map<string, { downloads: number; installs: number }>>>;

const rowsInCommit = 200;
const mostKept = { mostRows: 5000, mostVersions: 100 };

export function createTokenCounts(options: TokenCountsOptions): TokenCounts {
  const { everyMs = 5000, onError } = options;
  const writer = new CountWriter(options);
  const timer = everyMs === 0 ? undefined : setInterval(() => void writer.flush().catch(onError), everyMs);
  timer?.unref();
  return {
    download: (name, version, token) => writer.count(name, version, token, 'downloads'),
    install: (name, version, token) => writer.count(name, version, token, 'installs'),
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

  constructor(options: TokenCountsOptions) {
    this.#options = options;
  }

  count(name: string, version: string, token: string | undefined, what: 'downloads' | 'installs'): void {
    if (token === undefined) return;
    let tokens = this.#pending.get(name);
    if (tokens === undefined) this.#pending.set(name, (tokens = new Map()));
    let versions = tokens.get(token);
    if (versions === undefined) tokens.set(token, (versions = new Map()));
    const uses = versions.get(version);
    if (uses === undefined) versions.set(version, { downloads: 0, installs: 0, [what]: 1 });
    else uses[what] += 1;
  }

  flush(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write()); // its own caller got the error
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { state, now, by, retention, onCut = () => undefined, most = mostKept } = this.#options;
    const isOn = (await by()) === 'token';
    const today = new Date(now()).toISOString().slice(0, 10);
    const oldest = dayBefore(today, (await retention()) - 1);
    if (this.#noted !== `${today} ${isOn}`) {
      if (await noteCounting(state, isOn, today)) await removeUnused(state, oldest);
      this.#noted = `${today} ${isOn}`;
    }
    const counted = this.#pending;
    this.#pending = new Map();
    if (!isOn || counted.size === 0) return;
    try {
      const uses = await byUser(state, counted);
      while (uses.length > 0) {
        for (const sentence of await addUses(state, uses.slice(0, rowsInCommit), { today, oldest, ...most }))
          onCut(sentence);
        for (const { name, tokens } of uses.splice(0, rowsInCommit))
          for (const token of tokens) counted.get(name)?.delete(token);
      }
    } catch (error) {
      this.#restore(counted);
      throw error;
    }
  }

  #restore(counted: Counts): void {
    for (const [name, tokens] of counted)
      for (const [token, versions] of tokens) {
        const known = this.#pending.get(name) ?? new Map<string, Map<string, Uses>>();
        this.#pending.set(name, known as never);
        const sums = known.get(token) ?? new Map<string, Uses>();
        known.set(token, sums);
        for (const [version, uses] of versions) sums.set(version, sumOfUses(sums.get(version), uses));
      }
  }
}

/** The uses of each row. Jobs of one ref of a publisher share a row. */
async function byUser(state: StateStore, counted: Counts): Promise<(NewUses & { tokens: string[] })[]> {
  const ids = new Set([...counted.values()].flatMap((tokens) => [...tokens.keys()]));
  const users = new Map(await Promise.all([...ids].map(async (id) => [id, await userOfToken(state, id)] as const)));
  const rows = new Map<
    string,
    { name: string; user: string; who: PackageUser; tokens: string[]; versions: Map<string, Uses> }
  >();
  for (const [name, tokens] of counted)
    for (const [token, versions] of tokens) {
      const user = users.get(token);
      if (user === undefined) continue;
      const key = `${name} ${user.key}`;
      const row = rows.get(key) ?? {
        name,
        user: user.key,
        who: user.who,
        tokens: [],
        versions: new Map<string, Uses>(),
      };
      rows.set(key, row);
      row.tokens.push(token);
      for (const [version, uses] of versions) row.versions.set(version, sumOfUses(row.versions.get(version), uses));
    }
  return [...rows.values()];
}
