// JSON with whole numbers that a double cannot hold. PHP reads up to 64 bits exactly, and so does Composer; JSON.parse
// would change their last digits without a word. This parser represents such numbers as text in between. PHP, too,
// reads a larger number as a double.

/** A noncharacter of Unicode, which no valid text contains, in front of the digits. */
const mark = '\ufdd0int:';

const mayHold = /[[:,\s]-?[1-9][0-9]{15,18}[\s,}\]]/;
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/gs;
const marked = new RegExp(`"${mark}(-?[0-9]{16,19})"`, 'g');

/** Parses as JSON.parse does, which throws SyntaxError. Large integers become strings for writeJson. */
export function readJson(text: string): unknown {
  return JSON.parse(
    mayHold.test(text)
      ? text.replace(stringOrNumber, (token) => (isInexact(token) ? `"${mark}${token}"` : token))
      : text,
  );
}

/** Serializes a result of readJson as JSON.stringify does. */
export function writeJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes(mark) ? text.replace(marked, '$1') : text;
}

function isInexact(token: string): boolean {
  return (
    /^-?[0-9]{16,19}$/.test(token) &&
    !Number.isSafeInteger(Number(token)) &&
    BigInt.asIntN(64, BigInt(token)) === BigInt(token)
  );
}
