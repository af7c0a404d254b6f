// Passwords: scrypt (RFC 7914) with N=2^15, r=8, p=3, which takes 32 MiB and a tenth of a second. Two run at a time, a
// few wait, and further ones are refused. A flood of logins therefore exhausts neither memory nor processor.

import { scrypt, timingSafeEqual } from 'node:crypto';

import { RegistryError } from '../../build/contract/errors.ts';
import type { RandomBytes } from '../../build/shared/text/base62.ts';
import { createSemaphore } from '../../build/shared/concurrency/semaphore.ts';
import { tooManyWaiting } from './attempts.ts';

export interface ScryptCost {
  /** N: a power of two */
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
}

export const standardCost: ScryptCost = { cost: 2 ** 15, blockSize: 8, parallelization: 3 };

export type Derive = (password: string, salt: Uint8Array, cost: ScryptCost) => Promise<Buffer>;

export type Passwords = ReturnType<typeof createPasswords>;

export interface PasswordsOptions {
  readonly randomBytes: RandomBytes;
  readonly cost?: ScryptCost;
  readonly derive?: Derive;
}

const keyLength = 32;

/** Both calls may throw TOO_MANY_ATTEMPTS if too many calls wait. */
export function createPasswords({ randomBytes, cost = standardCost, derive = deriveKey }: PasswordsOptions) {
  const turn = createSemaphore({ inside: 2, waiting: 20 });
  const derived = (password: string, salt: Uint8Array, how: ScryptCost): Promise<Buffer> =>
    turn(() => derive(normalized(password), salt, how)) ?? Promise.reject(tooManyWaiting());
  const dummy = { salt: randomBytes(16), key: Buffer.alloc(keyLength), cost };
  return {
    /** `$scrypt$ln=15,r=8,p=3$salt$hash` in base64url */
    hash: async (password: string): Promise<string> => {
      const salt = randomBytes(16);
      const key = await derived(password, salt, cost);
      return `$scrypt$ln=${Math.log2(cost.cost)},r=${cost.blockSize},p=${cost.parallelization}$${Buffer.from(salt).toString('base64url')}$${key.toString('base64url')}`;
    },
    /** undefined: the user is unknown or has no password. The check then takes the same time, and fails. */
    verify: async (password: string, encoded: string | undefined): Promise<boolean> => {
      const expected = encoded === undefined ? dummy : decode(encoded);
      const key = await derived(password, expected.salt, expected.cost);
      return timingSafeEqual(key, expected.key) && encoded !== undefined;
    },
  };
}

/** One keyboard sends é as one character, another as two (NIST SP 800-63B-4 §3.1.1.2). */
function normalized(password: string): string {
  return password.normalize('NFKC');
}

function decode(encoded: string): { readonly salt: Buffer; readonly key: Buffer; readonly cost: ScryptCost } {
  const [, log, blockSize, parallelization, salt = '', key = ''] =
    /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]{43})$/.exec(encoded) ?? [];
  if (log === undefined)
    throw new Error('the password of a user in the state is malformed: restore the state from a backup');
  return {
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
    cost: { cost: 2 ** Number(log), blockSize: Number(blockSize), parallelization: Number(parallelization) },
  };
}

function deriveKey(
  password: string,
  salt: Uint8Array,
  { cost, blockSize, parallelization }: ScryptCost,
): Promise<Buffer> {
  const options = { cost, blockSize, parallelization, maxmem: 256 * cost * blockSize };
  return new Promise((resolve, reject) =>
    scrypt(password, salt, keyLength, options, (error, key) => (error === null ? resolve(key) : reject(error))),
  );
}

/** The limit keeps the cost of hashing bounded. */
export const longestPassword = 200;

/** Throws INVALID_INPUT for a password that breaks the rules. `path`: the field of the password. */
export function assertPassword(
  password: string,
  { shortestPassword }: { readonly shortestPassword: number },
  path = 'password',
): void {
  const { length } = [...normalized(password)];
  const message =
    length < shortestPassword
      ? `has ${length} characters; at least ${shortestPassword} are needed`
      : length > longestPassword
        ? `has ${length} characters; at most ${longestPassword} are taken`
        : undefined;
  if (message !== undefined)
    throw new RegistryError('INVALID_INPUT', {
      message: `The password ${message}.`,
      details: { issues: [{ path, message }] },
    });
}
