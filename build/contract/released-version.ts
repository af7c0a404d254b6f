// A version as views judge it: by number and release time. Contents of one version with the same time are visible in
// the same views.

export interface ReleasedVersion {
  readonly version_normalized: string;
  /**
   * when it was released, epoch milliseconds; undefined: unknown, and so hidden from views with a latest release time
   */
  readonly releasedMs: number | undefined;
}

/** The times of an entry of the serving index, RFC 3339 UTC. */
export interface ReleaseTimes {
  readonly version_normalized: string;
  /** the release's own time; null if the source knows none */
  readonly time: string | null;
  readonly first_published?: string | undefined;
  readonly since: string;
}

/**
 * The time of the source (of a commit, a tag) counts. A source without a time has the date of the first publication
 * here.
 */
export function releasedVersion({
  version_normalized,
  time,
  first_published: firstPublished,
  since,
}: ReleaseTimes): ReleasedVersion {
  const releasedMs = Date.parse(time ?? firstPublished ?? since);
  return { version_normalized, releasedMs: Number.isNaN(releasedMs) ? undefined : releasedMs };
}

/** One line of text; a normalized version contains no space. */
export function formatReleasedVersion({ version_normalized: normalized, releasedMs }: ReleasedVersion): string {
  return releasedMs === undefined ? normalized : `${normalized} ${releasedMs}`;
}

/** undefined: it is not such a text. */
export function parseReleasedVersion(text: string): ReleasedVersion | undefined {
  const space = text.lastIndexOf(' ');
  if (space === -1) return text === '' ? undefined : { version_normalized: text, releasedMs: undefined };
  const releasedMs = Number(text.slice(space + 1));
  return space === 0 || !Number.isSafeInteger(releasedMs)
    ? undefined
    : { version_normalized: text.slice(0, space), releasedMs };
}
