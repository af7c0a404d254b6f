// The log: JSON lines, buffered, to a descriptor or a file that can be reopened after rotation. Losing a second of lines in a crash is the
// price of not writing to disk within each request; `flush` and `close` lose none.

import { pino, type Logger } from 'pino';

export interface LogOptions {
  /** 1 for stdout, or the path of a file, which is appended to; its folder is made */
  readonly destination: number | string;
  readonly now: () => number;
  /** hears once when the log cannot be written (disk full, no permission): serving goes on without it */
  readonly onError: (error: Error) => void;
}

export interface Log {
  readonly logger: Logger;
  /** Opens the file anew, for whoever rotates it; nothing for a descriptor. */
  readonly reopen: () => void;
  readonly flush: () => void;
  /** Writes what is buffered, then closes the file (a descriptor stays open). */
  readonly close: () => Promise<void>;
}

const bufferBytes = 32 * 1024;
const writeBytes = 64 * 1024;
/** A reader of stdout that stalls must not take the memory too: beyond this, lines are dropped. */
const bufferLimitBytes = 32 * 1024 * 1024;
const flushEveryMs = 500;

/** No line of ours holds any of these; this is for the one somebody adds in a hurry. */
const redacted = ['authorization', 'headers.authorization', 'request.headers.authorization'];

export function openLog(options: LogOptions): Log {
  const isFile = typeof options.destination === 'string';
  const destination = pino.destination({ dest: options.destination, minLength: bufferBytes, maxWrite: writeBytes, periodicFlush: flushEveryMs, maxLength: bufferLimitBytes, sync: false, mkdir: isFile });
  let failed = false;
  destination.on('error', (error: Error) => {
    if (!failed) options.onError(error);
    failed = true;
  });
  const flush = (): void => {
    if (!failed) destination.flushSync();
  };
  return {
    logger: pino({ base: null, timestamp: timestamps(options.now), redact: { paths: redacted, censor: '[secret]' } }, destination),
    reopen: () => {
      if (!isFile) return;
      failed = false;
      destination.reopen();
    },
    flush,
    close: () => {
      if (failed) return Promise.resolve();
      if (!isFile) return Promise.resolve(flush());
      return new Promise((resolve) => {
        destination.once('close', () => resolve());
        destination.once('error', () => resolve());
        destination.end();
      });
    },
  };
}

/** RFC 3339 with milliseconds; the part that changes once a second is made once a second. */
function timestamps(now: () => number): () => string {
  let second = Number.NaN;
  let prefix = '';
  return () => {
    const ms = now();
    const current = Math.floor(ms / 1000);
    if (current !== second) {
      second = current;
      prefix = `,"time":"${new Date(current * 1000).toISOString().slice(0, 19)}.`;
    }
    return `${prefix}${String(ms - current * 1000).padStart(3, '0')}Z"`;
  };
}
