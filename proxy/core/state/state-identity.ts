// The identity of a state: a random name, created with the state and constant during its life. A backup contains it. A
// server and a data folder recognize their state by it, and refuse another state in its place.

import type { Branded } from '../../../build/contract/brand.ts';
import { idsOf } from '../../../build/shared/text/base62.ts';

/** `st_` and 16 base62 characters. */
export type StateIdentity = Branded<string, 'StateIdentity'>;

export const { mint: newStateIdentity, is: isStateIdentity } = idsOf<StateIdentity>('st');

/** undefined for a value that is no identity */
export function parseStateIdentity(value: unknown): StateIdentity | undefined {
  return isStateIdentity(value) ? value : undefined;
}
