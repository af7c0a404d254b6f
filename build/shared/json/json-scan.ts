// Finds the start and end of the parts of a JSON text in its bytes, without parsing the values. JSON.parse checks the
// values later. This scanner refuses malformed JSON only if a part has no end.

export const [quote, colon, comma, openBrace, closeBrace, openBracket, closeBracket] = [
  0x22, 0x3a, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d,
] as const;
const backslash = 0x5c;

/** The depth limit of Composer (json_decode of PHP). JSON.parse accepts more, but PHP could not write it again. */
export const deepest = 512;

export function tooDeep(): SyntaxError {
  return new SyntaxError(`The JSON is nested more than ${deepest} levels deep`);
}

export function skipBlanks(bytes: Buffer, at: number): number {
  let next = at;
  while (isBlank(bytes[next])) next += 1;
  return next;
}

/** Behind the text that begins at `at`. Throws SyntaxError. */
export function endOfText(bytes: Buffer, at: number): number {
  for (let next = at + 1; next < bytes.length; next += 1) {
    if (bytes[next] === backslash) next += 1;
    else if (bytes[next] === quote) return next + 1;
  }
  throw new SyntaxError('A text in the JSON does not end');
}

/** The offset of the value of the member whose name starts at `at`. Throws SyntaxError. */
export function valueOfMember(bytes: Buffer, at: number): number {
  if (bytes[at] !== quote) throw new SyntaxError(`A name is missing in the JSON, at byte ${at}`);
  const colonAt = skipBlanks(bytes, endOfText(bytes, at));
  if (bytes[colonAt] !== colon) throw new SyntaxError(`A colon is missing in the JSON, at byte ${colonAt}`);
  return skipBlanks(bytes, colonAt + 1);
}

/**
 * The offset behind the value that starts at `at`; an offset behind `until` if the value is longer. `outer`: the depth
 * around the value. Throws SyntaxError, also for nesting beyond the limit.
 */
export function endOfValue(bytes: Buffer, at: number, until: number = bytes.length, outer = 0): number {
  let depth = 0;
  for (let next = at; next < bytes.length; next += 1) {
    const byte = bytes[next];
    if (byte === quote) {
      next = endOfText(bytes, next) - 1;
      if (depth === 0) return next + 1;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (outer + depth > deepest) throw tooDeep();
    } else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return next; // the end of the enclosing value: this value was a number or a word
      depth -= 1;
      if (depth === 0) return next + 1;
    } else if (depth === 0 && (byte === comma || isBlank(byte))) {
      return next;
    }
    if (next > until) return next + 1;
  }
  if (depth > 0) throw new SyntaxError('The JSON does not end');
  return bytes.length;
}

/**
 * How deep arrays and objects are nested, 0 for a number, 1 for `[]`; and how many members all objects have together.
 * The bytes must be JSON. Throws SyntaxError for a text without an end.
 */
export function shapeOf(bytes: Buffer): { readonly depth: number; readonly members: number } {
  let [depth, most, members] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = endOfText(bytes, at) - 1;
    else if (byte === openBrace || byte === openBracket) most = Math.max(most, (depth += 1));
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    else if (byte === colon) members += 1;
  }
  return { depth: most, members };
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
