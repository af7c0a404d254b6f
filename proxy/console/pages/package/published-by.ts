// Which publication brought a version: its serial, and who published. Only the newest publications are looked at, since
// a page answers at once.

import { RegistryError } from '../../../../build/contract/errors.ts';
import type { Inspection } from '../../../inspection/inspection.ts';
import type { PublicationSummary } from '../../../inspection/publications.ts';

const mostLookedAt = 100;

/**
 * `since`: the time of a version that is published, RFC 3339. It is taken inside the publication, so the first
 * publication that ended later is the one. undefined: the publication is older, or recorded elsewhere.
 */
export async function publicationAt(inspection: Inspection, since: string): Promise<PublicationSummary | undefined> {
  try {
    const { publications, next } = await inspection.publications.list({ limit: mostLookedAt });
    const later = publications.filter(({ published_at: at }) => at >= since);
    return later.length === publications.length && next !== null ? undefined : later.at(-1);
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'NOT_AVAILABLE') return undefined;
    throw error;
  }
}
