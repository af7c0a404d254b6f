// Single-use codes: invitations and setup codes. The state stores only their hash; 190 random bits need no slow one.

import { hash } from 'node:crypto';

import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import { Secret } from '../../build/shared/text/secret.ts';

/** `inv_`: an invitation; `set_`: the setup of the first admin */
export type CodeKind = 'inv' | 'set';

export function mintCode(kind: CodeKind, randomBytes: RandomBytes): { readonly secret: Secret; readonly hash: string } {
  const code = `${kind}_${randomBase62(32, randomBytes)}`;
  return { secret: new Secret(code), hash: hashCode(code) };
}

export function hashCode(code: string): string {
  return hash('sha256', code, 'hex');
}
