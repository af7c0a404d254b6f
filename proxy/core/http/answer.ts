// The answer that the pipeline builds before any byte is written: a status, headers and a body. All parts of the
// pipeline except `send.ts` work on answers only.

import { errorTable, RegistryError, type ErrorBody, type ErrorCode } from '../../../build/contract/errors.ts';
import type { JsonObject } from '../../../build/contract/json.ts';
import { headerLines } from './serialize-headers.ts';

/**
 * `string`: bytes in latin1, which node:http joins with the headers into one write; meant for small bodies. `Buffer`:
 * the bytes. `OpenFile`: streamed, and closed by the sender.
 */
export type Body = string | Buffer | OpenFile | undefined;

export interface OpenFile {
  readonly handle: ReadHandle;
  /** exactly this number of bytes is sent; infinite while it is unknown, and known before the last byte can be read */
  readonly size: number;
  readonly path: string;
  /** called after the client has gone: the awaited value is no longer needed */
  readonly abandon?: () => void;
  /**
   * For a file that is still arriving: resolves with true once it is complete, or with false after it broke off. Never
   * rejects.
   */
  readonly isWhole?: () => Promise<boolean>;
}

/** The part of an open file that sending needs: a read may wait until bytes arrive. */
export interface ReadHandle {
  readonly read: (
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ) => Promise<{ readonly bytesRead: number }>;
  readonly close: () => Promise<void>;
}

export interface Answer {
  readonly status: number;
  /** flat list: name, value, name, value; Includes Content-Length if there is a body */
  readonly headers: readonly string[];
  /** more of them, which come behind; apart, since to join the two lists of every answer costs more than to count it */
  readonly more?: readonly string[] | undefined;
  readonly body: Body;
  /** status line and all headers as text (serialize-headers.ts), for frequent answers */
  readonly head?: string | undefined;
  /** logged in a separate line, in addition to the request's */
  readonly cause?: unknown;
}

/** Bodies up to this size are stored and sent as latin1 strings. */
export const maxStringBody = 16 * 1024;

export function bodyOf(bytes: Buffer): string | Buffer {
  return bytes.length <= maxStringBody ? bytes.toString('latin1') : bytes;
}

interface ErrorOptions {
  readonly message?: string;
  readonly details?: JsonObject;
  readonly headers?: readonly string[];
  /**
   * Composer shows its user the text of an error only under `warning` (CurlDownloader.php:447); other clients get the
   * bare envelope
   */
  readonly forComposer?: boolean;
  readonly cause?: unknown;
}

/** An answer in the error envelope. The message has the fault and the repair. */
export function errorAnswer(code: ErrorCode, options: ErrorOptions = {}): Answer {
  const body: ErrorBody = { error: options.message ?? errorTable[code].message, code, details: options.details ?? {} };
  const answer = jsonAnswer(
    errorTable[code].status,
    options.forComposer === true ? { ...body, warning: body.error } : body,
    options.headers,
  );
  return options.cause === undefined ? answer : { ...answer, cause: options.cause };
}

/** The answer to an error that its request caused. Throws every other error again: it becomes a 500 and is logged. */
export function refusalAnswer(error: unknown): Answer {
  if (!(error instanceof RegistryError) || error.status >= 500) throw error;
  return errorAnswer(error.code, { message: error.message, details: error.details });
}

/**
 * An uncached JSON answer. Bare `application/json`: Composer reads an error's text only without a charset
 * (CurlDownloader.php:447).
 */
export function jsonAnswer(status: number, body: object, headers: readonly string[] = []): Answer {
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    status,
    headers: [
      'Content-Type',
      'application/json',
      'Content-Length',
      String(bytes.length),
      'Cache-Control',
      'private, no-store',
      'Vary',
      'Authorization, Accept-Encoding',
      'X-Content-Type-Options',
      'nosniff',
      ...headers,
    ],
    body: bodyOf(bytes),
  };
}

/** `more`: flat list, as an answer's headers. */
export function withHeaders(
  { status, headers, body, head, cause, more: before }: Answer,
  more: readonly string[],
): Answer {
  return {
    status,
    headers,
    more: before === undefined ? more : [...before, ...more],
    body,
    head: head === undefined ? undefined : head + headerLines(more),
    cause,
  };
}

/** Flat list of name and value. */
export function allHeaders({ headers, more }: Answer): readonly string[] {
  return more === undefined ? headers : [...headers, ...more];
}

/** The outcome of sending an answer. */
export interface Sent {
  /** bytes of the body handed to the connection */
  readonly bytes: number;
  /** the client left before the end of the body */
  readonly aborted: boolean;
}

/** Reads a piece of `file` from `position`, at most the size of `buffer`. Rejects if the file was truncated. */
export async function readChunk(file: OpenFile, buffer: Buffer, position: number): Promise<Buffer> {
  const { bytesRead } = await file.handle.read(buffer, 0, Math.min(buffer.length, file.size - position), position);
  if (bytesRead === 0)
    throw new Error(`${file.path} became shorter while it was sent: archives must be replaced, never rewritten`);
  return buffer.subarray(0, bytesRead);
}
