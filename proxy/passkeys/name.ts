// The name of a passkey, as its owner writes it: it says on which device it is. No two of a person have the same.

import { invalidInput } from '../../build/contract/errors.ts';
import type { Passkey } from '../auth/passkey.ts';

export const longestPasskeyName = 60;

/** Without spaces around it. Throws INVALID_INPUT. */
export function checkedPasskeyName(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= longestPasskeyName && !/\p{Cc}/u.test(name)) return name;
  const message = `must have 1 to ${longestPasskeyName} characters in one line, such as "Laptop"`;
  throw invalidInput({ path: 'name', message });
}

/** The name, or the first of `Laptop 2`, `Laptop 3`, … that no other passkey has. */
export function distinctName(name: string, others: readonly Pick<Passkey, 'name'>[]): string {
  for (let count = 1; ; count += 1) {
    const ending = count === 1 ? '' : ` ${count}`;
    const text = `${name.slice(0, longestPasskeyName - ending.length).trimEnd()}${ending}`;
    if (!isTaken(text, others)) return text;
  }
}

/** Throws INVALID_INPUT for the name of another passkey. */
export function assertDistinct(name: string, others: readonly Pick<Passkey, 'name'>[]): void {
  if (!isTaken(name, others)) return;
  const message = 'is the name of another of your passkeys. Choose a different one';
  throw invalidInput({ path: 'name', message });
}

function isTaken(name: string, others: readonly Pick<Passkey, 'name'>[]): boolean {
  return others.some((one) => one.name.toLowerCase() === name.toLowerCase());
}
