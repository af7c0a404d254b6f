// Letters and digits only: a token survives every shell, header, URL and double click.

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes from a cryptographic source. */
export type RandomBytes = (size: number) => Uint8Array;

/**
 * `length` characters, each of the 62 equally likely: a byte of 248 or more is dropped instead of being folded onto the
 * first few.
 */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

/** The ids of one kind: its prefix, `_` and 16 base62 characters. */
export function idsOf<Id extends string>(prefix: string) {
  const isId = (value: unknown): value is Id =>
    typeof value === 'string' &&
    value.startsWith(`${prefix}_`) &&
    /^[0-9A-Za-z]{16}$/.test(value.slice(prefix.length + 1));
  return {
    mint: (randomBytes: RandomBytes): Id => `${prefix}_${randomBase62(16, randomBytes)}` as Id,
    is: isId,
    parse: (text: string): Id | undefined => (isId(text) ? text : undefined),
  };
}

/** A whole number ≥ 0 in base 62, padded with `0` to `length`. */
export function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = `${alphabet[rest % 62]}${text}`;
  return text.padStart(length, '0');
}
