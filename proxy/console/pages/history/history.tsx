// The pages about publications: the timeline, what each publication changed, and the way back to one.

import { RegistryError } from '../../../../build/contract/errors.ts';
import type { Inspection } from '../../../inspection/inspection.ts';
import type { UsageServices } from '../../../usage/read-usage.ts';
import type { PageRequest, PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { describePublications } from './described-publication.ts';
import { HistoryElsewhere, HistoryTimeline } from './history-page.tsx';
import { PublicationView } from './publication-page.tsx';
import { liftForm } from './lift-page.tsx';
import { rollBackForm } from './roll-back-page.tsx';
import { countIn, serialParam } from './serial.ts';

export interface HistoryPageServices extends UsageServices {
  readonly inspection: () => Promise<Inspection>;
}

const perPage = 30;
const packagesPerPage = 100;

export function registerHistoryPages(pages: Pages, services: HistoryPageServices): void {
  pages.page({ path: '/history', operation: 'listPublications', show: (request) => showHistory(services, request) });
  pages.form(liftForm(services));
  pages.form(rollBackForm(services));
  pages.page({
    path: '/history/:serial',
    operation: 'listPublications',
    notices: {
      'rolled-back': 'The registry is rolled back. This is the publication that did it.',
      'rolled-back-partly':
        'The registry is rolled back. Versions of that publication that people withdrew or purged stay out: the page ' +
        '“Why” of their package names the way back.',
      lifted: 'All rollbacks are ended. The next build publishes the current content of the sources.',
      unchanged: 'Nothing was published: the registry has everything of that publication that may return.',
    },
    show: (request) => showPublication(services, request),
  });
}

async function showHistory(services: HistoryPageServices, request: PageRequest): Promise<PageView> {
  try {
    return await historyView(services, request);
  } catch (error) {
    if (!(error instanceof RegistryError) || error.code !== 'NOT_AVAILABLE') throw error;
    return { title: 'Releases', section: 'history', content: <HistoryElsewhere /> };
  }
}

async function historyView({ inspection, state }: HistoryPageServices, request: PageRequest): Promise<PageView> {
  const before = countIn(request.query.get('before'));
  const { publications } = await inspection();
  const [page, held] = await Promise.all([publications.list({ before, limit: perPage }), publications.held()]);
  return {
    title: 'Releases',
    section: 'history',
    content: (
      <HistoryTimeline
        publications={await describePublications(state, page.publications, request)}
        next={page.next}
        isFirst={before === undefined}
        held={held}
        mayLift={request.may('rollBack')}
        mayPublish={request.may('createRepository')}
      />
    ),
  };
}

async function showPublication({ inspection, state }: HistoryPageServices, request: PageRequest): Promise<PageView> {
  const serial = serialParam(request);
  const from = ((countIn(request.query.get('page')) ?? 1) - 1) * packagesPerPage;
  const { publications } = await inspection();
  const [changes, newest] = await Promise.all([
    publications.get(serial, { from, limit: packagesPerPage }),
    publications.list({ limit: 1 }),
  ]);
  const [publication] = await describePublications(state, [changes], request);
  if (publication === undefined) throw new RegistryError('NOT_FOUND');
  return {
    title: `Publication ${serial}`,
    section: 'history',
    content: (
      <PublicationView
        publication={publication}
        packages={changes.packages}
        from={from}
        perPage={packagesPerPage}
        isNewest={newest.publications[0]?.serial === serial}
        mayRollBack={request.may('rollBack')}
      />
    ),
  };
}
