// The bracket expressions of patterns: `[a-z]`, `[^_]`, `[[:alpha:]-]`. ASCII only. In those of git no class accepts a
// slash, and `!` negates too (gitignore(5), wildmatch.c). PCRE's refuse a range that runs backwards. An unterminated
// class, or one with an unknown set, matches nothing, and neither does its pattern.

/** 256 flags, one a byte; one more flag where a class may accept the end of the text. */
export type ByteClass = Uint8Array;

/** What a matcher reads behind the last byte. */
export const endMark = 256;

const slash = 0x2f;
export const anyByte: ByteClass = new Uint8Array(256).fill(1);
export const anyButSlash: ByteClass = anyByte.slice().fill(0, slash, slash + 1);

export function only(byte: number): ByteClass {
  return new Uint8Array(256).fill(1, byte, byte + 1);
}

export const onlySlash = only(slash);
export const onlyEnd: ByteClass = new Uint8Array(endMark + 1).fill(1, endMark);

const isBetween =
  (low: number, high: number) =>
  (byte: number): boolean =>
    byte >= low && byte <= high;
const isUpper = isBetween(0x41, 0x5a);
const isLower = isBetween(0x61, 0x7a);
const isDigit = isBetween(0x30, 0x39);
const isGraphic = isBetween(0x21, 0x7e);
const isAlpha = (byte: number): boolean => isUpper(byte) || isLower(byte);
const isAlphanumeric = (byte: number): boolean => isAlpha(byte) || isDigit(byte);

const gitSets: Readonly<Record<string, (byte: number) => boolean>> = {
  alnum: isAlphanumeric,
  alpha: isAlpha,
  blank: (byte) => byte === 0x20 || byte === 0x09,
  cntrl: (byte) => byte < 0x20 || byte === 0x7f,
  digit: isDigit,
  graph: isGraphic,
  lower: isLower,
  print: (byte) => byte === 0x20 || isGraphic(byte),
  punct: (byte) => isGraphic(byte) && !isAlphanumeric(byte),
  space: (byte) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d,
  upper: isUpper,
  xdigit: (byte) => isDigit(byte) || isBetween(0x41, 0x46)(byte) || isBetween(0x61, 0x66)(byte),
};

const pcreSets: typeof gitSets = {
  ...gitSets,
  ascii: isBetween(0x00, 0x7f),
  space: (byte) => byte === 0x20 || isBetween(0x09, 0x0d)(byte),
  word: (byte) => byte === 0x5f || isAlphanumeric(byte),
};

type Dialect = 'git' | 'pcre';

/** Reads the class behind the `[` at `open`; `end` is just behind its `]`. undefined if it is malformed. */
export function parseByteClass(
  pattern: string,
  open: number,
  dialect: Dialect,
): { readonly accepts: ByteClass; readonly end: number } | undefined {
  const accepts = new Uint8Array(256);
  const negated = pattern[open + 1] === '^' || (dialect === 'git' && pattern[open + 1] === '!');
  let cursor = open + (negated ? 2 : 1);
  let previous: number | undefined;
  for (let first = true; first || pattern[cursor] !== ']'; first = false) {
    const item = readItem(pattern, cursor, dialect, previous);
    if (item === undefined) return undefined;
    for (let byte = 0; byte < 256; byte += 1) if (item.has(byte)) accepts[byte] = 1;
    previous = item.rangeStart;
    cursor = item.end;
  }
  if (negated) for (let byte = 0; byte < 256; byte += 1) accepts[byte] = accepts[byte] === 1 ? 0 : 1;
  if (dialect === 'git') accepts[slash] = 0;
  return { accepts, end: cursor + 1 };
}

interface Item {
  readonly has: (byte: number) => boolean;
  readonly end: number;
  /** the byte a `-` behind this item would start from */
  readonly rangeStart: number | undefined;
}

function readItem(pattern: string, start: number, dialect: Dialect, previous: number | undefined): Item | undefined {
  if (pattern[start] === '-' && previous !== undefined && start + 1 < pattern.length && pattern[start + 1] !== ']') {
    const last = readByte(pattern, start + 1);
    return last === undefined || (dialect === 'pcre' && last.byte < previous)
      ? undefined
      : { has: isBetween(previous, last.byte), end: last.end, rangeStart: undefined };
  }
  if (pattern[start] === '[' && pattern[start + 1] === ':') {
    const close = pattern.indexOf(']', start + 2);
    if (close === -1) return undefined;
    if (close > start + 2 && pattern[close - 1] === ':') {
      const name = pattern.slice(start + 2, close - 1);
      const sets = dialect === 'git' ? gitSets : pcreSets;
      const has = Object.hasOwn(sets, name) ? sets[name] : undefined;
      return has === undefined ? undefined : { has, end: close + 1, rangeStart: undefined };
    }
  }
  const one = readByte(pattern, start);
  return one === undefined ? undefined : { has: (byte) => byte === one.byte, end: one.end, rangeStart: one.byte };
}

/** One byte, itself or behind a backslash. */
function readByte(pattern: string, start: number): { readonly byte: number; readonly end: number } | undefined {
  const at = pattern[start] === '\\' ? start + 1 : start;
  return at < pattern.length ? { byte: pattern.charCodeAt(at), end: at + 1 } : undefined;
}
