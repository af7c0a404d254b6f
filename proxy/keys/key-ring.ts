// The keys of this registry: the current one of each purpose, and those before it for as long as something made with
// them is still good. They lie outside the state, so that a copy of the state alone opens nothing.

import { generateKeyPairSync } from 'node:crypto';

import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import { keyPurposes, listKeyFiles, readKeyFile, writeKeyFile, type KeyFile, type KeyPurpose } from './key-file.ts';

export interface RingKey {
  readonly purpose: KeyPurpose;
  /** 1, 2, 3, …; the highest of its purpose is the current one */
  readonly number: number;
  readonly kid: string;
  readonly created_at: string;
  /** null: the current one, or one that stays good */
  readonly ends_at: string | null;
  readonly material: string;
}

export interface KeyRing {
  /** Made when there is none yet. */
  readonly current: (purpose: KeyPurpose) => RingKey;
  readonly find: (purpose: KeyPurpose, kid: string) => RingKey | undefined;
  /** Signing keys first, newest first. Makes none. */
  readonly list: () => readonly RingKey[];
  /** A new current key. `previousEndsMs` (epoch): when the one before ends; left out: it stays good. */
  readonly rotate: (purpose: KeyPurpose, previousEndsMs?: number) => RingKey;
}

export interface KeyRingOptions {
  readonly folder: string;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  /** How long another process may take to notice what one did here. */
  readonly noticeMs?: number;
  readonly monotonicMs?: () => number;
}

/** Every call may throw StateError: the folder cannot be used, or a file in it is damaged. */
export function createKeyRing({
  folder,
  now,
  randomBytes,
  noticeMs = 2000,
  monotonicMs = () => performance.now(),
}: KeyRingOptions): KeyRing {
  const files = new Map<string, KeyFile>();
  let keys: readonly RingKey[] = [];
  let readAt = Number.NEGATIVE_INFINITY;

  const read = (): void => {
    const numbers = listKeyFiles(folder);
    keys = keyPurposes.flatMap((purpose) =>
      ringOf(purpose, numbers[purpose], (number) =>
        remembered(files, `${purpose} ${number}`, () => readKeyFile(folder, purpose, number)),
      ),
    );
    readAt = monotonicMs();
  };
  const readAgain = (): void => {
    if (monotonicMs() - readAt >= noticeMs) read();
  };
  const newest = (purpose: KeyPurpose): RingKey | undefined => keys.find((key) => key.purpose === purpose);
  const findKid = (purpose: KeyPurpose, kid: string): RingKey | undefined =>
    keys.find((key) => key.purpose === purpose && key.kid === kid);
  /** Whoever comes second finds the other's key in its place. */
  const make = (purpose: KeyPurpose, previousEndsMs: number | undefined): RingKey => {
    const previous_ends_at = previousEndsMs === undefined ? null : new Date(previousEndsMs).toISOString();
    writeKeyFile(folder, purpose, (newest(purpose)?.number ?? 0) + 1, {
      kid: randomBase62(12, randomBytes),
      created_at: new Date(now()).toISOString(),
      previous_ends_at,
      material: makers[purpose](randomBytes),
    });
    read();
    const made = newest(purpose);
    if (made === undefined) throw new Error(`the ${purpose} key that was just made in ${folder} is gone`);
    return made;
  };
  return {
    current: (purpose) => {
      readAgain();
      return newest(purpose) ?? make(purpose, undefined);
    },
    find: (purpose, kid) => {
      readAgain();
      const known = findKid(purpose, kid);
      if (known !== undefined) return known;
      read(); // another process may have made it just now
      return findKid(purpose, kid);
    },
    list: () => {
      read();
      return keys;
    },
    rotate: (purpose, previousEndsMs) => {
      read();
      return make(purpose, previousEndsMs);
    },
  };
}

/** P-256 signs quickly, and every JWT library knows it as ES256. */
const makers: Readonly<Record<KeyPurpose, (randomBytes: RandomBytes) => string>> = {
  signing: () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  sealing: (randomBytes) => Buffer.from(randomBytes(32)).toString('base64url'),
};

/** Newest first; each ends when the one after it says. */
function ringOf(purpose: KeyPurpose, numbers: readonly number[], file: (number: number) => KeyFile): RingKey[] {
  let ends_at: string | null = null;
  return numbers.toReversed().map((number) => {
    const { kid, created_at, material, previous_ends_at } = file(number);
    const key = { purpose, number, kid, created_at, ends_at, material };
    ends_at = earlier(ends_at, previous_ends_at);
    return key;
  });
}

function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return Date.parse(one) < Date.parse(other) ? one : other;
}

function remembered(files: Map<string, KeyFile>, name: string, load: () => KeyFile): KeyFile {
  const file = files.get(name) ?? load();
  files.set(name, file);
  return file;
}
