// The first page of a package: how to install it, its README, how often it is used, and the facts.

import type { Child } from 'hono/jsx';
import type { PackageText } from '../../../packages/package-texts.ts';
import { DayChart, everyDay, type DayCount } from '../../components/day-chart.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import { shownNumber } from '../../components/quantity.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { nameActor } from '../name-actor.ts';
import { FactsPanel } from './facts-panel.tsx';
import { InstallPanel } from './install-panel.tsx';
import { packagePath, readable, type OpenPackage } from './open-package.ts';
import { PackageFrame } from './package-frame.tsx';
import type { PackagePageServices } from './package-services.ts';
import { publicationAt } from './published-by.ts';
import { requirementOf } from './requirement.ts';

export const chartDays = 30;

interface OverviewProps {
  readonly opened: OpenPackage;
  /** undefined: the latest version has none */
  readonly readme: PackageText | undefined;
  readonly days: readonly DayCount[];
  /** undefined: unknown */
  readonly publisher: string | undefined;
  readonly request: SignedInRequest;
}

export async function showOverview(
  services: PackagePageServices,
  request: SignedInRequest,
  opened: OpenPackage,
): Promise<PageView> {
  const { name, latest } = opened;
  const [readme, days, publication] = await Promise.all([
    latest.entry.readme === undefined
      ? undefined
      : readable(services.packageTexts.read(name, 'readme', latest.entry.version)),
    services.downloads.daysOf(name),
    services.inspection().then((inspection) => publicationAt(inspection, latest.entry.since)),
  ]);
  const by = publication?.by?.actor;
  const publisher = by === undefined ? undefined : await nameActor(services.state, by, request);
  const counts = days.map(({ date, versions }) => ({ date, count: sumOf(versions) }));
  return {
    title: name,
    section: 'packages',
    content: <Overview {...{ opened, readme, publisher, request }} days={everyDay(counts, chartDays, request.nowMs)} />,
  };
}

export function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function Overview({ opened, readme, days, publisher, request }: OverviewProps): Child {
  const { name, details, summary } = opened;
  return (
    <PackageFrame opened={opened} tab="overview">
      {summary.abandoned === false ? null : <Abandoned replacement={summary.abandoned} />}
      <div class="package">
        <InstallPanel
          requirement={requirementOf(name, details.versions)}
          origin={request.origin}
          makesTokens={request.may('createToken')}
        />
        <section class="readme stack" aria-label="README">
          <Readme readme={readme} />
        </section>
        <aside class="stack">
          <section class="stack-tight">
            <h2>Downloads</h2>
            <DayChart days={days} unit="download" />
            <p class="small">
              <A to={packagePath(name, 'downloads')}>
                {shownNumber(days.reduce((sum, { count }) => sum + count, 0))} in the last {chartDays} days
              </A>
            </p>
          </section>
          <FactsPanel {...{ opened, publisher }} nowMs={request.nowMs} />
        </aside>
      </div>
    </PackageFrame>
  );
}

function Abandoned({ replacement }: { readonly replacement: boolean | string }): Child {
  return (
    <Notice kind="warn">
      This package is abandoned.{' '}
      {typeof replacement === 'string' ? `Its authors suggest ${replacement} instead.` : 'Its authors name no other.'}
    </Notice>
  );
}

function Readme({ readme }: Pick<OverviewProps, 'readme'>): Child {
  if (readme === undefined)
    return (
      <EmptyState icon="file-text" title="No README">
        Add a README.md beside its composer.json. It appears here with the next version.
      </EmptyState>
    );
  return <WholeText text={readme} />;
}

/** The rendered text, and a word if it is not the whole. */
export function WholeText({ text }: { readonly text: PackageText }): Child {
  return (
    <>
      <Markdown html={text.html} />
      {text.html_truncated || text.truncated ? (
        <Notice kind="info">The text is longer. The archive of {text.version} contains the whole text.</Notice>
      ) : null}
    </>
  );
}
