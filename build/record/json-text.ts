// Finds the fault of a JSON text and its position, since the messages of JSON.parse differ between Node versions. The
// check refuses texts that JSON.parse accepts and PHP's json_decode refuses: half a surrogate pair, unlimited nesting.
// The check reports each key that occurs twice in one object.

/** The fault of a JSON text, and the character of the fault. */
export class JsonTextError extends Error {
  readonly offset: number;
  /** false: the text is JSON, but not JSON that clients could all read alike */
  readonly syntax: boolean;

  constructor(message: string, offset: number, syntax = true) {
    super(message);
    this.name = 'JsonTextError';
    this.offset = offset;
    this.syntax = syntax;
  }
}

/** PHP decodes 512 levels, and a p2 document puts a composer.json four levels down. */
export const maxJsonDepth = 128;

/**
 * A key that occurs in its object before. JSON.parse and PHP's json_decode keep the first position and the last value.
 */
export interface RepeatedKey {
  readonly key: string;
  /** offset of the quote of its second occurrence */
  readonly offset: number;
}

/** The repeated keys, in their order. Throws JsonTextError if the text is not one JSON value. Linear time. */
export function checkJsonText(text: string): readonly RepeatedKey[] {
  const repeated: RepeatedKey[] = [];
  const end = skipBlanks(text, checkValue(text, skipBlanks(text, 0), 1, repeated));
  if (end < text.length)
    throw new JsonTextError(`nothing may follow the end of the JSON text, but ${shown(text, end)} does`, end);
  return repeated;
}

/** Each of these functions takes the offset of a token's first character, and returns the offset behind the token. */
function checkValue(text: string, offset: number, depth: number, repeated: RepeatedKey[]): number {
  const first = text.charAt(offset);
  if (depth > maxJsonDepth) throw new JsonTextError(`it is nested deeper than ${maxJsonDepth} levels`, offset, false);
  if (first === '{') return checkObject(text, offset, depth, repeated);
  if (first === '[') return checkArray(text, offset, depth, repeated);
  if (first === '"') return checkString(text, offset);
  const end = endOf(literal, text, offset);
  if (end === undefined)
    throw new JsonTextError(`a value was expected, not ${shown(text, offset)}${hint(first)}`, offset);
  const token = text.slice(offset, end);
  if (Math.abs(Number(token)) === Infinity)
    throw new JsonTextError(
      `the number ${token.slice(0, 20)} is too large for PHP; write it as a string`,
      offset,
      false,
    );
  return end;
}

function checkObject(text: string, start: number, depth: number, repeated: RepeatedKey[]): number {
  const keys = new Set<string>();
  let offset = skipBlanks(text, start + 1);
  if (text.charAt(offset) === '}') return offset + 1;
  for (;;) {
    offset = checkKey(text, offset, keys, repeated);
    if (text.charAt(offset) !== ':')
      throw new JsonTextError(`a colon was expected behind a key, not ${shown(text, offset)}`, offset);
    offset = skipBlanks(text, checkValue(text, skipBlanks(text, offset + 1), depth + 1, repeated));
    if (text.charAt(offset) === '}') return offset + 1;
    offset = behindComma(text, offset, '}');
  }
}

/** Returns the offset of the expected colon. */
function checkKey(text: string, offset: number, keys: Set<string>, repeated: RepeatedKey[]): number {
  if (text.charAt(offset) !== '"')
    throw new JsonTextError(
      `a key in double quotes was expected, not ${shown(text, offset)}${hint(text.charAt(offset))}`,
      offset,
    );
  const end = checkString(text, offset);
  const key = String(JSON.parse(text.slice(offset, end)));
  if (keys.has(key)) repeated.push({ key, offset });
  keys.add(key);
  return skipBlanks(text, end);
}

function checkArray(text: string, start: number, depth: number, repeated: RepeatedKey[]): number {
  let offset = skipBlanks(text, start + 1);
  if (text.charAt(offset) === ']') return offset + 1;
  for (;;) {
    offset = skipBlanks(text, checkValue(text, offset, depth + 1, repeated));
    if (text.charAt(offset) === ']') return offset + 1;
    offset = behindComma(text, offset, ']');
  }
}

/** The offset behind a comma and blanks, at which another entry must start. */
function behindComma(text: string, offset: number, closing: '}' | ']'): number {
  if (text.charAt(offset) !== ',')
    throw new JsonTextError(`a comma or "${closing}" was expected, not ${shown(text, offset)}`, offset);
  const next = skipBlanks(text, offset + 1);
  if (text.charAt(next) === closing) throw new JsonTextError(`the comma before "${closing}" is one too many`, offset);
  return next;
}

// eslint-disable-next-line no-control-regex -- JSON forbids exactly these in a string
const plainRun = /[^"\\\u0000-\u001f]*/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function checkString(text: string, start: number): number {
  let offset = start + 1;
  for (;;) {
    offset = endOf(plainRun, text, offset) ?? offset;
    if (text.charAt(offset) === '"') break;
    if (offset >= text.length) throw new JsonTextError('a string is not closed: its double quote is missing', start);
    const next = endOf(escapeSequence, text, offset);
    if (next === undefined) throw new JsonTextError(badInString(text, offset), offset);
    offset = next;
  }
  const value: unknown = JSON.parse(text.slice(start, offset + 1));
  if (typeof value === 'string' && !value.isWellFormed())
    throw new JsonTextError('a \\u escape is half of a surrogate pair, which PHP cannot decode', start);
  return offset + 1;
}

function badInString(text: string, offset: number): string {
  if (text.charAt(offset) === '\\')
    return `${JSON.stringify(text.slice(offset, offset + 2))} is not an escape JSON knows; a backslash is written \\\\`;
  if (text.charAt(offset) === '\n' || text.charAt(offset) === '\r')
    return 'a string may not continue on the next line; is its closing double quote missing?';
  return 'a control character in a string must be escaped; write it as \\u00XX';
}

const literal = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![0-9A-Za-z_.+-])/y;

const blanks = /[ \t\n\r]*/y;

function skipBlanks(text: string, offset: number): number {
  return endOf(blanks, text, offset) ?? offset;
}

function endOf(sticky: RegExp, text: string, offset: number): number | undefined {
  sticky.lastIndex = offset;
  return sticky.test(text) ? sticky.lastIndex : undefined;
}

function shown(text: string, offset: number): string {
  if (offset >= text.length) return 'the end of the file';
  return JSON.stringify(/^(?:[A-Za-z0-9_]{1,20}|[^])/.exec(text.slice(offset, offset + 20))?.[0] ?? '');
}

function hint(first: string): string {
  if (first === "'") return '; JSON has double quotes only';
  if (first === '/' || first === '#') return '; JSON has no comments';
  return '';
}
