// The keys of this registry: the current key of each purpose, and earlier keys while their products are valid. The keys
// are outside the state, so that a copy of the state alone reveals nothing.

import { generateKeyPairSync } from 'node:crypto';

import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import { keyPurposes, listKeyFiles, readKeyFile, writeKeyFile, type KeyFile, type KeyPurpose } from './key-file.ts';

export interface RingKey {
  readonly purpose: KeyPurpose;
  /** 1, 2, 3, …; the highest number of a purpose is the current key */
  readonly number: number;
  readonly kid: string;
  readonly created_at: string;
  /** null: without an end */
  readonly ends_at: string | null;
  readonly material: string;
}

export interface KeyRing {
  /** Creates the first key of a purpose. */
  readonly current: (purpose: KeyPurpose) => RingKey;
  readonly find: (purpose: KeyPurpose, kid: string) => RingKey | undefined;
  /** Signing keys first, newest first. Creates none. */
  readonly list: () => readonly RingKey[];
  /** Creates a new current key. `previousEndsMs` (epoch): the end of the previous key; left out: it stays valid. */
  readonly rotate: (purpose: KeyPurpose, previousEndsMs?: number) => RingKey;
}

export interface KeyRingOptions {
  readonly folder: string;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  /** The longest time until another process notices a change. */
  readonly noticeMs?: number;
  readonly monotonicMs?: () => number;
}

/** Every call may throw StateError: the folder is unusable, or a file in it is damaged. */
export function createKeyRing(options: KeyRingOptions): KeyRing {
  const keys = new KeyFolder(options);
  return {
    current: (purpose) => {
      keys.refresh();
      return keys.newest(purpose) ?? keys.make(purpose, undefined);
    },
    find: (purpose, kid) => {
      keys.refresh();
      const known = keys.find(purpose, kid);
      if (known !== undefined) return known;
      keys.read(); // another process may have made it just now
      return keys.find(purpose, kid);
    },
    list: () => keys.read(),
    rotate: (purpose, previousEndsMs) => {
      keys.read();
      return keys.make(purpose, previousEndsMs);
    },
  };
}

/** The keys in the folder as of the last read. Each file is read once, because its content never changes. */
class KeyFolder {
  readonly #options: Required<KeyRingOptions>;
  readonly #files = new Map<string, KeyFile>();
  #keys: readonly RingKey[] = [];
  #readAt = Number.NEGATIVE_INFINITY;

  constructor({ noticeMs = 2000, monotonicMs = () => performance.now(), ...options }: KeyRingOptions) {
    this.#options = { ...options, noticeMs, monotonicMs };
  }

  read(): readonly RingKey[] {
    const { folder, monotonicMs } = this.#options;
    const numbers = listKeyFiles(folder);
    this.#keys = keyPurposes.flatMap((purpose) =>
      ringOf(purpose, numbers[purpose], (number) =>
        remembered(this.#files, `${purpose} ${number}`, () => readKeyFile(folder, purpose, number)),
      ),
    );
    this.#readAt = monotonicMs();
    return this.#keys;
  }

  refresh(): void {
    if (this.#options.monotonicMs() - this.#readAt >= this.#options.noticeMs) this.read();
  }

  newest(purpose: KeyPurpose): RingKey | undefined {
    return this.#keys.find((key) => key.purpose === purpose);
  }

  find(purpose: KeyPurpose, kid: string): RingKey | undefined {
    return this.#keys.find((key) => key.purpose === purpose && key.kid === kid);
  }

  /** The second of two concurrent processes finds the key of the first. */
  make(purpose: KeyPurpose, previousEndsMs: number | undefined): RingKey {
    const { folder, now, randomBytes } = this.#options;
    const previous_ends_at = previousEndsMs === undefined ? null : new Date(previousEndsMs).toISOString();
    writeKeyFile(folder, purpose, (this.newest(purpose)?.number ?? 0) + 1, {
      kid: randomBase62(12, randomBytes),
      created_at: new Date(now()).toISOString(),
      previous_ends_at,
      material: makers[purpose](randomBytes),
    });
    this.read();
    const made = this.newest(purpose);
    if (made === undefined) throw new Error(`the ${purpose} key that was just made in ${folder} is gone`);
    return made;
  }
}

/** P-256 signs fast, and every JWT library supports it as ES256. */
const makers: Readonly<Record<KeyPurpose, (randomBytes: RandomBytes) => string>> = {
  signing: () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  sealing: (randomBytes) => Buffer.from(randomBytes(32)).toString('base64url'),
};

/** Newest first. The file of each key names the end of the previous key. */
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
