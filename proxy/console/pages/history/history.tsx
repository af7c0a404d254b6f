// The pages about publications: the timeline, what each publication changed, and the way back to one.

import { RegistryError } from '../../../../build/contract/errors.ts';
import type { Inspection } from '../../../inspection/inspection.ts';
import type { UsageServices } from '../../../usage/read-usage.ts';
import type { PageRequest, PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { describePublications, type DescribedPublication } from './described-publication.ts';
import { PublicationView, ChangeCounts } from './publication-page.tsx';
import { liftForm, RollbacksInEffect } from './lift-page.tsx';
import { rollBackForm } from './roll-back-page.tsx';
import { countIn, serialParam } from './serial.ts';
import type { Child } from 'hono/jsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { PageHead, MainLink } from '../../components/place.tsx';
import { Turning } from '../../components/pager.tsx';
import { Time } from '../../components/values.tsx';
import { groupBy } from '../../../../build/shared/collections/group-by.ts';

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

// The timeline of publications, in pages.

interface HistoryTimelineProps {
  /** newest first */
  readonly publications: readonly DescribedPublication[];
  /** the `before` of the next page; null: there is none */
  readonly next: number | null;
  /** true: the page begins with the newest publication */
  readonly isFirst: boolean;
  /** the number of versions that builds leave as rolled back */
  readonly held: number;
  readonly mayLift: boolean;
  /** true: the visitor may publish packages */
  readonly mayPublish: boolean;
}

function HistoryTimeline(props: HistoryTimelineProps): Child {
  const { publications, next, isFirst, held, mayLift, mayPublish } = props;
  return (
    <>
      <PageHead title="Releases" sentence="What was released and withdrawn, newest first. Days are in UTC." />
      <RollbacksInEffect {...{ held, mayLift }} />
      {publications.length === 0 ? (
        <NoPublications {...{ isFirst, mayPublish }} />
      ) : (
        <Timeline
          events={publications.filter(changesSomething).map((publication) => ({
            at: publication.published_at,
            content: <PublicationEntry publication={publication} />,
          }))}
        />
      )}
      <Turning first={isFirst ? undefined : '/history'} next={next === null ? undefined : `/history?before=${next}`}>
        {next === null ? <span class="soft small">Older publications are not recorded.</span> : null}
      </Turning>
    </>
  );
}

/** The history of a server that reads its packages from an origin. */
function HistoryElsewhere(): Child {
  return (
    <>
      <PageHead title="Releases" sentence="What was released and withdrawn, newest first." />
      <EmptyState icon="history" title="Recorded on another host">
        This server reads its packages from an origin. The console of the host that builds them has the history, and{' '}
        <code>libretto history list</code> prints it there.
      </EmptyState>
    </>
  );
}

/** False for one that changed the list of sources alone, which nobody looks for. */
export function changesSomething({ counts, rollback_to: to }: DescribedPublication): boolean {
  return counts.packages > 0 || to !== null;
}

/** One publication in a timeline or a list: its releases lead, and branches stand together. */
export function PublicationEntry({ publication }: { readonly publication: DescribedPublication }): Child {
  const { serial, published_at: at, author, counts } = publication;
  return (
    <div class="stack-tight">
      <span class="row">
        <MainLink to={`/history/${serial}`} text={titleOf(publication)} />
        <ChangeCounts counts={counts} />
      </span>
      <span class="soft small">
        <Time at={at} />
        {author === '' ? null : `, ${author}`}, publication {serial}
      </span>
    </div>
  );
}

const mostInTitle = 3;

/** `acme/cart 2.3.1 released`, `Branches of acme/cart`. */
function titleOf({ released, recalled, names, counts, rollback_to: to }: DescribedPublication): string {
  const few = (texts: readonly string[]): string =>
    `${texts.slice(0, mostInTitle).join(', ')}${texts.length > mostInTitle ? ' and more' : ''}`;
  if (to !== null) return `Rollback to publication ${to}`;
  if (released.length > 0) return `${few(released)} released`;
  if (recalled.length > 0) return `${few(recalled)} withdrawn`;
  if (names.length === 0) return 'List of sources';
  return `${counts.added + counts.changed + counts.withdrawn > 0 ? 'Branches' : 'Metadata'} of ${few(names)}`;
}

function NoPublications({ isFirst, mayPublish }: Pick<HistoryTimelineProps, 'isFirst' | 'mayPublish'>): Child {
  if (!isFirst)
    return (
      <EmptyState
        icon="history"
        title="Nothing older is recorded"
        action={<ButtonLink to="/history" label="Show the newest" />}
      >
        Only the newest publications stay recorded.
      </EmptyState>
    );
  return (
    <EmptyState
      icon="history"
      title="Nothing is published yet"
      action={mayPublish ? <ButtonLink to="/overview" label="Go to the first steps" /> : undefined}
    >
      Each publication appears here, with the packages and versions that it changed.
    </EmptyState>
  );
}

// Events by day, the newest first. Days are those of UTC, because the server does not know the reader's zone.

interface TimelineEvent {
  /** RFC 3339 UTC */
  readonly at: string;
  readonly content: Child;
}

/** `events`: newest first. */
function Timeline({ events }: { readonly events: readonly TimelineEvent[] }): Child {
  return (
    <div class="timeline">
      {[...groupBy(events, ({ at }) => at.slice(0, 10))].map(([date, ofDay]) => (
        <section>
          <h2>{dayFormat.format(new Date(`${date}T00:00:00Z`))}</h2>
          <ol>
            {ofDay.map(({ content }) => (
              <li>{content}</li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' });
