// The log: JSON lines, buffered, to a descriptor or a file that can be reopened after rotation. Losing half a second of
// lines in a crash is the price of not writing to disk within each request; `flush` and `close` lose none.

import { pino, type Logger } from 'pino';
import { LineWriter } from './line-writer.ts';
import { createLogTime, createRequestLog, type RequestLog } from './request-log.ts';

export interface LogOptions {
  /** 1 for stdout, or the path of a file, which is appended to; its folder is made */
  readonly destination: number | string;
  /** false: logs everything except requests */
  readonly requests?: boolean;
  /** true: other processes write there too, and their lines must not be mixed with lines of this process */
  readonly shared?: boolean;
  readonly now: () => number;
  /**
   * receives the error when the log can no longer be written or reopened (disk full, no permission): the server
   * continues without it
   */
  readonly onError: (error: Error) => void;
}

export interface Log {
  readonly logger: Logger;
  readonly logRequest: RequestLog;
  /**
   * Opens the file again, for log rotation; no effect for a descriptor. Never rejects: a failure goes to `onError`, and
   * the old file stays.
   */
  readonly reopen: () => Promise<void>;
  readonly flush: () => Promise<void>;
  /** Writes the buffered lines, then closes the file; a descriptor stays open. */
  readonly close: () => Promise<void>;
}

/** No line contains any of these; this is a safeguard against later additions. */
const redacted = ['authorization', 'headers.authorization', 'request.headers.authorization'];

/** Throws Node's error if the file cannot be opened. */
export function openLog(options: LogOptions): Log {
  const writer = new LineWriter(options.destination, options.onError, options.shared);
  const logRequest =
    options.requests === false ? () => undefined : createRequestLog((line) => writer.write(line), options.now);
  return {
    logRequest,
    logger: pino(
      { base: null, timestamp: createLogTime(options.now), redact: { paths: redacted, censor: '[secret]' } },
      writer,
    ),
    reopen: () => writer.reopen(),
    flush: () => writer.flush(),
    close: () => writer.close(),
  };
}
