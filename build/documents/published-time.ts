// `published-time` of a version: the time at which this registry first published its content. The author cannot
// backdate it. Clients measure the age of a version by it (Renovate; Composer's planned cooldown). The serving index
// stores it, so that neither a withdrawal nor a lost builder memory changes it.

import type { IndexEntry } from '../contract/serving-index.ts';
import type { JsonValue } from '../contract/json.ts';

/** The format of packagist.org: RFC 3339 with an offset, whole seconds. */
export function publishedTimeOf({
  first_published: first,
  since,
}: Pick<IndexEntry, 'first_published' | 'since'>): string {
  return `${(first ?? since).slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}+00:00`;
}

/**
 * Reads the date from a document: of a received tree, or of this tree after the loss of its index. A date in the future
 * counts as absent.
 */
export function firstPublished(declared: JsonValue | undefined, now: Date): Pick<IndexEntry, 'first_published'> {
  const time = typeof declared === 'string' ? Date.parse(declared) : Number.NaN;
  return time < now.getTime() ? { first_published: new Date(time).toISOString() } : {};
}
