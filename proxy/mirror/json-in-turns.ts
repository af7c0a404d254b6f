// JSON.parse of documents of megabytes, which takes tens of milliseconds in one go. Objects and arrays are cut between their members, and each piece is parsed by
// JSON.parse, a turn of the event loop each. The result is the same, and what is no JSON is refused all the same.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { pieceSize } from './in-turns.ts';

/** As deep as Composer reads (json_decode of PHP). JSON.parse reads more, which nothing could write again. */
const deepest = 512;

/** `piece`: so many bytes are parsed in a turn, or a little more. Throws SyntaxError, also where it is nested too deep. */
export async function parseJsonInTurns(bytes: Buffer, piece: number = pieceSize): Promise<unknown> {
  if (bytes.length <= piece) {
    checkDepth(bytes);
    return JSON.parse(bytes.toString('utf8'));
  }
  const { value, end } = await readValue({ bytes, piece }, skipBlanks(bytes, 0), 0);
  if (skipBlanks(bytes, end) !== bytes.length) throw new SyntaxError(`There is something behind the end of the JSON, at byte ${end}`);
  return value;
}

interface Text {
  readonly bytes: Buffer;
  readonly piece: number;
}

interface Read {
  readonly value: unknown;
  /** behind it */
  readonly end: number;
}

const [quote, backslash, colon, comma, openBrace, closeBrace, openBracket, closeBracket] = [0x22, 0x5c, 0x3a, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d];

async function readValue(text: Text, start: number, depth: number): Promise<Read> {
  const { bytes } = text;
  await nextTurn();
  if (bytes[start] === openBrace || bytes[start] === openBracket) return readContainer(text, start, depth + 1);
  const end = endOfValue(bytes, start, bytes.length, depth);
  return { value: JSON.parse(bytes.toString('utf8', start, end)), end };
}

/** Members that are small are parsed together, as many as make a piece; one that is not is cut itself. `depth`: its own, from 1. */
async function readContainer(text: Text, start: number, depth: number): Promise<Read> {
  const { bytes, piece } = text;
  if (depth > deepest) throw tooDeep();
  const isArray = bytes[start] === openBracket;
  const close = isArray ? closeBracket : closeBrace;
  const into = isArray ? new Elements() : new Members();
  let at = skipBlanks(bytes, start + 1);
  let pieceAt = at; // what lies between it and `at` is yet to be parsed, and ends with a comma
  if (bytes[at] === close) return { value: into.value, end: at + 1 };
  for (;;) {
    const valueAt = isArray ? at : valueOfMember(bytes, at);
    let end = endOfValue(bytes, valueAt, valueAt + piece, depth);
    if (end === valueAt) throw new SyntaxError(`A value is missing in the JSON, at byte ${end}`);
    if (end > valueAt + piece) {
      if (at > pieceAt) into.addPiece(bytes.toString('utf8', pieceAt, bytes.lastIndexOf(comma, at - 1)));
      const large = await readValue(text, valueAt, depth);
      into.addOne(isArray ? '' : bytes.toString('utf8', at, valueAt), large.value);
      end = large.end;
      pieceAt = end;
    }
    const next = skipBlanks(bytes, end);
    const isLast = bytes[next] === close;
    if (!isLast && bytes[next] !== comma) throw new SyntaxError(`A comma or an end is missing in the JSON, at byte ${next}`);
    if (end > pieceAt && (isLast || end - pieceAt >= piece)) {
      into.addPiece(bytes.toString('utf8', pieceAt, end));
      pieceAt = end;
      await nextTurn();
    }
    if (isLast) return { value: into.value, end: next + 1 };
    at = skipBlanks(bytes, next + 1);
    if (bytes[at] === close) throw new SyntaxError(`There is a comma without anything behind it in the JSON, at byte ${next}`);
    if (pieceAt === end) pieceAt = at;
  }
}

class Elements {
  readonly value: unknown[] = [];

  addPiece(text: string): void {
    for (const element of JSON.parse(`[${text}]`) as unknown[]) this.value.push(element);
  }

  addOne(_key: string, value: unknown): void {
    this.value.push(value);
  }
}

class Members {
  readonly value: Record<string, unknown> = {};

  addPiece(text: string): void {
    for (const [key, value] of Object.entries(JSON.parse(`{${text}}`) as Record<string, unknown>)) this.#set(key, value);
  }

  /** `key`: with its quotes and its colon */
  addOne(key: string, value: unknown): void {
    for (const [name] of Object.entries(JSON.parse(`{${key}0}`) as Record<string, unknown>)) this.#set(name, value);
  }

  /** Also of `__proto__` a member like any other, as JSON.parse makes it. */
  #set(key: string, value: unknown): void {
    Object.defineProperty(this.value, key, { value, writable: true, enumerable: true, configurable: true });
  }
}

function valueOfMember(bytes: Buffer, at: number): number {
  if (bytes[at] !== quote) throw new SyntaxError(`A name is missing in the JSON, at byte ${at}`);
  const colonAt = skipBlanks(bytes, endOfText(bytes, at));
  if (bytes[colonAt] !== colon) throw new SyntaxError(`A colon is missing in the JSON, at byte ${colonAt}`);
  return skipBlanks(bytes, colonAt + 1);
}

function skipBlanks(bytes: Buffer, at: number): number {
  let next = at;
  while (bytes[next] === 0x20 || bytes[next] === 0x0a || bytes[next] === 0x0d || bytes[next] === 0x09) next += 1;
  return next;
}

/** Behind the text that begins at `at`. */
function endOfText(bytes: Buffer, at: number): number {
  for (let next = at + 1; next < bytes.length; next += 1) {
    if (bytes[next] === backslash) next += 1;
    else if (bytes[next] === quote) return next + 1;
  }
  throw new SyntaxError('A text in the JSON does not end');
}

/** Of what need not be cut. What is no JSON is JSON.parse's matter. */
function checkDepth(bytes: Buffer): void {
  let depth = 0;
  let inText = false;
  for (let next = 0; next < bytes.length; next += 1) {
    const byte = bytes[next];
    if (inText) {
      if (byte === backslash) next += 1;
      else if (byte === quote) inText = false;
    } else if (byte === quote) {
      inText = true;
    } else if (byte === openBrace || byte === openBracket) {
      if ((depth += 1) > deepest) throw tooDeep();
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
    }
  }
}

function tooDeep(): SyntaxError {
  return new SyntaxError(`The JSON is nested more than ${deepest} levels deep`);
}

/** Behind the value that begins at `at`; something behind `until`, where it is longer. Whether it is a value is JSON.parse's matter. `outer`: how deep it stands. */
function endOfValue(bytes: Buffer, at: number, until: number, outer: number): number {
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
      if (depth === 0) return next; // of what it stands in: it was a number or a word
      depth -= 1;
      if (depth === 0) return next + 1;
    } else if (depth === 0 && (byte === comma || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)) {
      return next;
    }
    if (next > until) return next + 1;
  }
  if (depth > 0) throw new SyntaxError('The JSON does not end');
  return bytes.length;
}
