// The time of a log line, as text. Made once for all lines of a millisecond: a busy server writes dozens of them in
// one.

/** `,"time":"2026-01-31T12:00:00.007Z"`: RFC 3339 UTC, as a part of a line. `now`: epoch milliseconds. */
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
