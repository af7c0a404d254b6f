// Reads what the first page of a package shows beside the package itself: its README, its downloads, and who published.

import { readUsedBy } from './used-by.tsx';
import { everyDay } from '../../components/day-chart.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { nameActor } from '../name-actor.ts';
import { blocksAmong } from './blocked-releases.tsx';
import { placeInside } from './inner-links.ts';
import { reportDamage, sourceOf, type OpenPackage, type PackagePageServices } from './open-package.ts';
import { PackageOverview } from './overview.tsx';
import { sumOf } from '../../../packages/download-rows.ts';
import { undefinedIf } from '../../../../build/contract/errors.ts';
import type { Inspection } from '../../../inspection/inspection.ts';
import type { RecordedPublication } from '../../../inspection/publications.ts';

const chartDays = 30;

export async function showOverview(
  services: PackagePageServices,
  request: SignedInRequest,
  opened: OpenPackage,
): Promise<PageView> {
  const { name, latest } = opened;
  const { origin, nowMs } = request;
  const [readme, stored, publication, blockOf] = await Promise.all([
    latest.entry.readme === undefined
      ? undefined
      : reportDamage(
          services.packageTexts.read(
            name,
            'readme',
            latest.entry.version,
            undefined,
            sourceOf(opened, latest),
            placeInside(services, opened, request),
          ),
        ),
    services.downloads.daysOf(name),
    services.inspection().then((inspection) => publicationAt(inspection, latest.entry.since)),
    services.blockedVersions(name, nowMs),
  ]);
  const by = publication?.by?.actor;
  const publisher = by === undefined ? undefined : await nameActor(services.state, by, request);
  const counts = stored.map(({ date, versions }) => ({ date, count: sumOf(versions) }));
  const days = everyDay(counts, chartDays, nowMs);
  const blocks = blocksAmong(opened.details.versions, latest, blockOf);
  const isAbandoned = opened.summary.abandoned !== false;
  const usedBy = isAbandoned ? await readUsedBy(services, request, name, ['*']) : undefined;
  const makesTokens = request.may('createToken');
  return {
    title: name,
    section: 'packages',
    content: <PackageOverview {...{ opened, readme, days, publisher, origin, makesTokens, blocks, usedBy, nowMs }} />,
  };
}

// Which publication brought a version: its serial, and who published. Only the newest publications are looked at, since
// a page answers at once.

const maxPublications = 100;

/**
 * `since`: the time of a version that is published, RFC 3339. It is taken inside the publication, so the first
 * publication that ended later is the one. undefined: the publication is older, or recorded elsewhere.
 */
async function publicationAt(inspection: Inspection, since: string): Promise<RecordedPublication | undefined> {
  const found = await inspection.publications.list({ limit: maxPublications }).catch(undefinedIf('NOT_AVAILABLE'));
  const later = found?.publications.filter(({ published_at: at }) => at >= since) ?? [];
  return later.length === found?.publications.length && found.next !== null ? undefined : later.at(-1);
}
