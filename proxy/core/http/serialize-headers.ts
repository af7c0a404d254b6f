// Serializes the head of an answer as text. node:http checks and joins the headers of every answer, which is most of
// the work for a document from memory. This file checks and joins the constant headers once.

import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';

/**
 * Status line and headers, each line with its end. Throws for an invalid name or value. Joins all parts in one call: V8
 * stores a text that was concatenated in pieces as its pieces, in several times the memory.
 */
export function serializeHeaders(status: number, headers: readonly string[]): string {
  const parts = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n`];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    validateHeaderName(name);
    validateHeaderValue(name, value);
    parts.push(name, ': ', value, '\r\n');
  }
  return parts.join('');
}

/** Writes headers with known, valid names and values as lines. */
export function headerLines(headers: readonly string[]): string {
  let text = '';
  for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return text;
}

/**
 * The text that node:http puts behind the headers of an answer on a connection that stays open, with the empty line;
 * made once a second. `now`: epoch milliseconds. `keepAliveMs`: the server's keepAliveTimeout.
 */
export function createHeadEnd(now: () => number, keepAliveMs: number): () => string {
  let second = Number.NaN;
  let text = '';
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second) {
      second = current;
      text =
        `Date: ${new Date(current * 1000).toUTCString()}\r\nConnection: keep-alive\r\nKeep-Alive: ` +
        `timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`;
    }
    return text;
  };
}
