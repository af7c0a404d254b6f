// The timeline of publications, in pages.

import type { Child } from 'hono/jsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { PageHead, MainLink } from '../../components/place.tsx';
import { Turning } from '../../components/pager.tsx';
import { Time } from '../../components/values.tsx';
import { ChangeCounts } from './publication-page.tsx';
import type { DescribedPublication } from './described-publication.ts';
import { RollbacksInEffect } from './lift-page.tsx';
import { groupBy } from '../../../../build/shared/collections/group-by.ts';

export interface HistoryTimelineProps {
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

export function HistoryTimeline(props: HistoryTimelineProps): Child {
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
export function HistoryElsewhere(): Child {
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
