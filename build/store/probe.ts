// Tries what a publication needs of an object store: to create an object only if there is none, and to replace only the
// one that was read. Stores differ in this, so nothing is taken from their name. It writes throw-away objects.

import { digestOf } from '../shared/text/digest-of.ts';
import type { ObjectKey, ObjectStore, Precondition } from './object-store.ts';
import { StoreFailure } from './store-failure.ts';

/** `ignored`: the store wrote against the condition. `refused`: it did not write although the condition held. */
export type ConditionOutcome = 'works' | 'ignored' | 'refused' | 'unsupported';

export interface ProbeResult {
  /** the second creation of one object */
  readonly createIfAbsent: ConditionOutcome;
  /** a replacement with the right ETag, and one with a former one */
  readonly compareAndSwap: ConditionOutcome;
  /** a replacement of an object that is gone: `written` makes an object of it */
  readonly swapOnMissing: 'refused' | 'written';
  /** two creations of one object at once */
  readonly race: ConditionOutcome;
}

/** `create-first`: usable, if the first object is created by create-if-absent and never by a replacement. */
export type ProbeVerdict =
  | { readonly verdict: 'usable' | 'create-first' }
  | { readonly verdict: 'unusable'; readonly sentence: string };

const headers = { contentType: 'text/plain', cacheControl: 'no-store' };
const etagOfNone = '"00000000000000000000000000000000"';
/** Several, since two requests do not always meet. */
const races = ['race-1', 'race-2', 'race-3', 'race-4'];

/** Beside the head: what the store did at the last probe, for people. */
export const probeKey = 'index/_probe.json';

/** Probes the store, and leaves the result there. Rejects with StoreFailure for what is no matter of conditions. */
export async function recordProbe(store: ObjectStore, nonce: string, now: Date): Promise<ProbeVerdict> {
  const result = await probeStore(store, nonce);
  const verdict = judgeProbe(store, result);
  const bytes = Buffer.from(
    `${JSON.stringify({ verdict: verdict.verdict, ...result, probed_at: now.toISOString() }, null, 1)}\n`,
  );
  const body = { bytes, sha256: digestOf(bytes) };
  if (verdict.verdict !== 'unusable') await store.put(probeKey, body, { ...headers, contentType: 'application/json' });
  return verdict;
}

/** `nonce`: other for each call. Rejects with StoreFailure for what is no matter of conditions. */
export async function probeStore(store: ObjectStore, nonce: string): Promise<ProbeResult> {
  const keys: ObjectKey[] = ['create', 'swap', 'missing', ...races].map((name) => `index/_probe/${nonce}-${name}`);
  /** The ETag; undefined: the store refused. */
  const put = async (name: string, text: string, condition?: Precondition): Promise<string | undefined> => {
    const bytes = Buffer.from(text);
    const key = `index/_probe/${nonce}-${name}`;
    const done = await store.put(key, { bytes, sha256: digestOf(bytes) }, headers, condition);
    return done.outcome === 'written' ? done.etag : undefined;
  };
  // without the right to delete, nothing is written that would stay
  await store.remove(keys.slice(0, 1));
  try {
    const createIfAbsent = await tried(async () => [
      await put('create', 'first', 'absent'),
      await put('create', 'second', 'absent'),
    ]);
    const compareAndSwap = await tried(async () => {
      const etag = (await put('swap', 'first')) ?? etagOfNone;
      return [await put('swap', 'second', { etag }), await put('swap', 'third', { etag })];
    });
    const missing = await tried(async () => ['', await put('missing', 'text', { etag: etagOfNone })]);
    let race = createIfAbsent;
    for (const name of race === 'works' ? races : []) {
      const both = (): Promise<(string | undefined)[]> =>
        Promise.all(['one', 'other'].map((text) => put(name, text, 'absent')));
      if (race === 'works') race = await tried(async () => (await both()).toSorted());
    }
    await store.remove(keys);
    return { createIfAbsent, compareAndSwap, swapOnMissing: missing === 'ignored' ? 'written' : 'refused', race };
  } catch (error) {
    await store.remove(keys).catch(() => undefined); // the first failure is the one to tell
    throw error;
  }
}

const saidOf: Readonly<Record<ConditionOutcome, string>> = {
  works: 'does it',
  ignored: 'writes against the condition',
  refused: 'refuses although the condition holds',
  unsupported: 'does not know the condition',
};

export function judgeProbe({ name }: Pick<ObjectStore, 'name'>, result: ProbeResult): ProbeVerdict {
  const needed = [
    ['create an object only if there is none (PUT with If-None-Match: *)', result.createIfAbsent],
    ['let one of two writers create an object (PUT with If-None-Match: *)', result.race],
    ['replace only the object that was read (PUT with If-Match)', result.compareAndSwap],
  ] as const;
  const failed = needed.find(([, outcome]) => outcome !== 'works');
  if (failed === undefined) return { verdict: result.swapOnMissing === 'refused' ? 'usable' : 'create-first' };
  const [operation, outcome] = failed;
  const sentence =
    `${name} cannot be the output: it does not ${operation}, but ${saidOf[outcome]}. Use a newer version of this ` +
    'store, or another one: AWS, R2, Ceph, and MinIO since August 2025 can do it.';
  return { verdict: 'unusable', sentence };
}

/** `work` gives the ETag of the write that must be, and of the one that must not be. */
async function tried(work: () => Promise<readonly (string | undefined)[]>): Promise<ConditionOutcome> {
  try {
    const [right, wrong] = await work();
    if (wrong !== undefined) return 'ignored';
    return right === undefined ? 'refused' : 'works';
  } catch (error) {
    if (error instanceof StoreFailure && error.kind === 'unsupported') return 'unsupported';
    throw error;
  }
}
