// One line for each request: what was asked, by which token from where, and what it got. Never a secret: no query, no header, and nothing
// that looks like a token even where a client put one into a path.

import type { Logger } from 'pino';
import { redacted } from './redact.ts';

export interface RequestLine {
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** of the body, as sent */
  readonly bytes: number;
  readonly duration_ms: number;
  /** the token's id, never the token */
  readonly token: string | null;
  readonly client: string;
  /** the client left before it had everything */
  readonly aborted?: true;
}

export function logRequest(log: Logger, line: RequestLine): void {
  log.info(line);
}

const maxLoggedPath = 512;

/** The path of a raw target, fit for a log. */
export function loggedPath(target: string): string {
  const question = target.indexOf('?');
  const path = question === -1 ? target : target.slice(0, question);
  const short = path.length > maxLoggedPath ? `${path.slice(0, maxLoggedPath)}…` : path;
  return redacted(short);
}
