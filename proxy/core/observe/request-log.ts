// Writes one line for each request: its target, the token and address of the client, and the result. A line contains no
// secret: no query, no header, and no text of a token's form, even if a client put one into a path. The line has pino's
// format and is assembled by hand, because every request writes one with the same fields. So it costs a third of a
// general library's time, which has to inspect its input.

export interface RequestLine {
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** size of the body as sent */
  readonly bytes: number;
  readonly duration_ms: number;
  /** the token's id, never the token */
  readonly token: string | null;
  readonly client: string;
  /** the client left before the end of the body */
  readonly aborted: boolean;
}

export type RequestLog = (line: RequestLine) => void;

/** `write` gets each line with its newline. `now`: epoch milliseconds. */
export function createRequestLog(write: (line: string) => void, now: () => number): RequestLog {
  const time = createLogTime(now);
  return ({ request_id: id, method, path, status, bytes, duration_ms: duration, token, client, aborted }) => {
    // the method, the path and the address are untrusted; the ids are made here
    write(
      `{"level":30${time()},"request_id":"${id}","method":${method === 'GET' ? '"GET"' : JSON.stringify(method)},"path":${JSON.stringify(path)},"status":${status},"bytes":${bytes},"duration_ms":${duration},` +
        `"token":${token === null ? 'null' : `"${token}"`},"client":${JSON.stringify(client)}${aborted ? ',"aborted":true}\n' : '}\n'}`,
    );
  };
}

const maxLoggedPath = 512;

/** The path of a raw target, fit for a log. */
export function loggedPath(target: string): string {
  const question = target.indexOf('?');
  const path = question === -1 ? target : target.slice(0, question);
  const short = path.length > maxLoggedPath ? `${path.slice(0, maxLoggedPath)}…` : path;
  return redacted(short);
}

/** The form of each secret of this registry: API tokens, sessions, invitations, setup codes, recovery codes. */
const secretPattern =
  /lib_[rw]_[0-9A-Za-z]*|(?:inv|set)_[0-9A-Za-z]{32}|eyJ[\w-]{8,}(?:\.[\w-]*)*|[A-Z2-7]{4}(?:-[A-Z2-7]{4}){5}/g;

/** Removes secrets from a text that a client wrote. Cut or mistyped tokens go too: most of the secret is in them. */
function redacted(text: string): string {
  return text.replace(secretPattern, '[secret]');
}

/**
 * The time of a log line, made once for all lines of a millisecond: a busy server writes dozens of them in one.
 * `,"time":"2026-01-31T12:00:00.007Z"`: RFC 3339 UTC, as a part of a line. `now`: epoch milliseconds.
 */
export function createLogTime(now: () => number): () => string {
  let second = Number.NaN;
  let prefix = '';
  let millisecond = Number.NaN;
  let text = '';
  return () => {
    const ms = Math.floor(now());
    if (ms === millisecond) return text;
    millisecond = ms;
    const current = Math.floor(ms / 1000);
    if (current !== second) {
      second = current;
      prefix = `,"time":"${new Date(current * 1000).toISOString().slice(0, 19)}.`;
    }
    text = `${prefix}${String(ms - current * 1000).padStart(3, '0')}Z"`;
    return text;
  };
}
