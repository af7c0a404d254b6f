// Moments as texts.

/** RFC 3339 UTC. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
