// JSON.parse of documents of megabytes, which takes tens of milliseconds in one go. Objects and arrays are cut between
// their members, and each piece is parsed by JSON.parse, a turn of the event loop each. The result is the same, and
// invalid JSON is refused in the same way.

import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  closeBrace,
  closeBracket,
  comma,
  deepest,
  endOfValue,
  openBrace,
  openBracket,
  skipBlanks,
  tooDeep,
  valueOfMember,
} from './json-scan.ts';
import { pieceSize } from '../concurrency/yielding.ts';

/**
 * `piece`: so many bytes are parsed in a turn, or a little more. Throws SyntaxError, also for nesting beyond the limit.
 */
export async function parseJsonYielding(bytes: Buffer, piece: number = pieceSize): Promise<unknown> {
  if (bytes.length <= piece) {
    endOfValue(bytes, skipBlanks(bytes, 0)); // for its depth
    return JSON.parse(bytes.toString('utf8'));
  }
  const { value, end } = await readValue({ bytes, piece }, skipBlanks(bytes, 0), 0);
  if (skipBlanks(bytes, end) !== bytes.length)
    throw new SyntaxError(`There is something behind the end of the JSON, at byte ${end}`);
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

async function readValue(text: Text, start: number, depth: number): Promise<Read> {
  const { bytes } = text;
  await nextTurn();
  if (bytes[start] === openBrace || bytes[start] === openBracket) return readContainer(text, start, depth + 1);
  const end = endOfValue(bytes, start, bytes.length, depth);
  return { value: JSON.parse(bytes.toString('utf8', start, end)), end };
}

/**
 * Members that are small are parsed together, as many as make a piece; one that is not is cut itself. `depth`: its own,
 * from 1.
 */
async function readContainer(text: Text, start: number, depth: number): Promise<Read> {
  const { bytes, piece } = text;
  if (depth > deepest) throw tooDeep();
  const isArray = bytes[start] === openBracket;
  const close = isArray ? closeBracket : closeBrace;
  const into = isArray ? new Elements() : new Members();
  let at = skipBlanks(bytes, start + 1);
  let pieceAt = at; // the text between `pieceAt` and `at` is unparsed, and ends with a comma
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
    if (!isLast && bytes[next] !== comma)
      throw new SyntaxError(`A comma or an end is missing in the JSON, at byte ${next}`);
    if (end > pieceAt && (isLast || end - pieceAt >= piece)) {
      into.addPiece(bytes.toString('utf8', pieceAt, end));
      pieceAt = end;
      await nextTurn();
    }
    if (isLast) return { value: into.value, end: next + 1 };
    at = skipBlanks(bytes, next + 1);
    if (bytes[at] === close)
      throw new SyntaxError(`There is a comma without anything behind it in the JSON, at byte ${next}`);
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
    for (const [key, value] of Object.entries(JSON.parse(`{${text}}`) as Record<string, unknown>))
      this.#set(key, value);
  }

  /** `key`: with its quotes and its colon */
  addOne(key: string, value: unknown): void {
    for (const [name] of Object.entries(JSON.parse(`{${key}0}`) as Record<string, unknown>)) this.#set(name, value);
  }

  /** Sets `__proto__` like any other member, as JSON.parse does. */
  #set(key: string, value: unknown): void {
    Object.defineProperty(this.value, key, { value, writable: true, enumerable: true, configurable: true });
  }
}
