// The few string functions of PHP that decide how Composer reads a version, for text instead of bytes. All of them
// handle ASCII only: PHP does not count a no-break space as white space, nor the Kelvin sign as a k.

/**
 * The characters of PCRE's `\s` without the u flag, as a part of a character class. JavaScript's own `\s` matches far
 * more.
 */
export const whiteSpace = ' \\t-\\r';

const trimmed: ReadonlySet<string> = new Set([' ', '\t', '\n', '\r', '\0', '\v']);
const white: ReadonlySet<string> = new Set([' ', '\t', '\n', '\r', '\f', '\v']);

/** PHP's `trim()`: space, tab, line feed, carriage return, NUL and vertical tab; not form feed. */
export function phpTrim(text: string): string {
  return stripStart(stripEnd(text, trimmed), trimmed);
}

/** Removes white space (`\s`) at the start. */
export function stripWhiteStart(text: string): string {
  return stripStart(text, white);
}

/** Removes white space (`\s`) at the end. */
export function stripWhiteEnd(text: string): string {
  return stripEnd(text, white);
}

/** PHP's `strtolower()` since 8.2: A to Z only. */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * The part of a text for a pattern with PCRE's `$` that cannot cross a line: the last line, without a single final line
 * feed.
 */
export function lastLine(text: string): string {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  return text.slice(text.lastIndexOf('\n', end - 1) + 1, end);
}

function stripStart(text: string, characters: ReadonlySet<string>): string {
  let start = 0;
  while (start < text.length && characters.has(text.charAt(start))) start += 1;
  return text.slice(start);
}

function stripEnd(text: string, characters: ReadonlySet<string>): string {
  let end = text.length;
  while (end > 0 && characters.has(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
