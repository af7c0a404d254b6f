// The first page of a package: how to install it, its README, how often it is used, the facts, and who published.

import type { Child } from 'hono/jsx';
import { matches, parseConstraint } from '../../../../build/contract/constraint.ts';
import { parsePackageName } from '../../../../build/contract/name.ts';
import type { PackageText } from '../../../packages/package-texts.ts';
import { DayChart, everyDay, type DayCount } from '../../components/day-chart.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import { formatNumber } from '../../components/values.tsx';
import { FactsPanel } from './facts-panel.tsx';
import { InstallPanel } from './install-panel.tsx';
import { AllReleasesBlocked, blocksAmong, isMalware, type ReleaseBlocks } from './blocked-releases.tsx';
import {
  packagePath,
  packageView,
  reportDamage,
  sourceOf,
  type OpenPackage,
  type PackagePageServices,
} from './open-package.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { nameActor } from '../name-actor.ts';
import { placeInside } from './inner-links.ts';
import { sumOf } from '../../../packages/download-rows.ts';
import { undefinedIf } from '../../../../build/contract/errors.ts';
import type { Inspection } from '../../../inspection/inspection.ts';
import type { RecordedPublication } from '../../../inspection/publications.ts';
import { PackageFrame } from './package-frame.tsx';
import type { NormalizedVersion } from '../../../../build/contract/version.ts';
import { parseStability } from '../../../../build/contract/stability.ts';
import { latestOf } from '../../../packages/package-summary.ts';
import type { PublishedVersion } from '../../../packages/published-package.ts';
import { readUsedBy, UsedBy, type UsedByProps } from './used-by.tsx';

const chartDays = 30;

export async function showOverview(
  services: PackagePageServices,
  request: SignedInRequest,
  opened: OpenPackage,
): Promise<PageView> {
  const { name, latest } = opened;
  const { origin, nowMs } = request;
  const [readme, stored, publication] = await Promise.all([
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
  ]);
  const by = publication?.by?.actor;
  const publisher = by === undefined ? undefined : await nameActor(services.state, by, request);
  const counts = stored.map(({ date, versions }) => ({ date, count: sumOf(versions) }));
  const days = everyDay(counts, chartDays, nowMs);
  const blocks = blocksAmong(opened.details.versions, opened.blockOf);
  const isAbandoned = opened.summary.abandoned !== false;
  const usedBy = isAbandoned ? await readUsedBy(services, request, name, ['*']) : undefined;
  const makesTokens = request.may('createToken');
  return packageView(
    name,
    <PackageOverview {...{ opened, readme, days, publisher, origin, makesTokens, blocks, usedBy }} />,
  );
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

interface OverviewProps {
  readonly opened: OpenPackage;
  /** undefined: the latest version has none */
  readonly readme: PackageText | undefined;
  /** undefined: downloads are not known here */
  readonly days: readonly DayCount[] | undefined;
  /** undefined: unknown */
  readonly publisher: string | undefined;
  /** the address of the registry; undefined: not configured */
  readonly origin: string | undefined;
  /** true: the reader may create tokens */
  readonly makesTokens: boolean;
  /** what the policy says of releases; undefined: the page is stored */
  readonly blocks: ReleaseBlocks | undefined;
  /** of an abandoned package */
  readonly usedBy?: UsedByProps | undefined;
}

export function PackageOverview({
  opened,
  readme,
  days,
  publisher,
  origin,
  makesTokens,
  blocks,
  usedBy,
}: OverviewProps): Child {
  const { name, details, summary } = opened;
  const notBlocked = blocks?.offered ?? details.versions;
  const isBad = (one: PublishedVersion): boolean => isMalware(opened, one);
  const offered = notBlocked.filter((one) => !isBad(one));
  const requirement = offered.length === 0 ? undefined : requirementOf(name, offered, notBlocked.filter(isBad));
  return (
    <PackageFrame opened={opened} tab="overview">
      {summary.abandoned === false ? null : <Abandoned replacement={summary.abandoned} all={opened.packages.all} />}
      {usedBy === undefined ? null : <UsedBy {...usedBy} />}
      <div class="package">
        <div class="stack">
          {blocks === undefined ? null : <AllReleasesBlocked blocks={blocks} />}
          {notBlocked.length === 0 ? null : <InstallPanel {...{ requirement, origin, makesTokens }} />}
          {notBlocked.length === 0 && details.versions.every(isBad) ? <AllMalware name={name} /> : null}
        </div>
        <section class="readme stack" aria-label="README">
          <Readme readme={readme} />
        </section>
        <aside class="stack">
          {days === undefined ? null : <Downloads {...{ name, days }} />}
          <FactsPanel {...{ opened, publisher }} />
        </aside>
      </div>
    </PackageFrame>
  );
}

function AllMalware({ name }: { readonly name: string }): Child {
  return <Notice kind="bad">All versions of {name} are malware, and blocked.</Notice>;
}

function Downloads({ name, days }: { readonly name: string; readonly days: readonly DayCount[] }): Child {
  const total = days.reduce((sum, { count }) => sum + count, 0);
  return (
    <section class="stack-tight">
      <h2>Downloads</h2>
      {total === 0 ? null : <DayChart days={days} unit="download" />}
      <p class="small">
        <A to={packagePath(name, 'downloads')}>
          {total === 0 ? 'None' : formatNumber(total)} in the last {days.length} days
        </A>
      </p>
    </section>
  );
}

interface AbandonedProps {
  /** as the package or libretto.json names it */
  readonly replacement: boolean | string;
  readonly all: OpenPackage['packages']['all'];
}

function Abandoned({ replacement, all }: AbandonedProps): Child {
  if (typeof replacement !== 'string')
    return <Notice kind="warn">This package is abandoned, and no other is named instead.</Notice>;
  const name = parsePackageName(replacement.toLowerCase());
  return (
    <Notice kind="warn">
      This package is abandoned. Use{' '}
      {name !== undefined && all.has(name) ? <A to={packagePath(name)}>{replacement}</A> : replacement} instead.
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

// What `composer require` names to install a package: `acme/hello:^2.4`, as Composer itself would write it, or
// `acme/hello:dev-main` where only branches are published. Pure.

/** `versions`: newest first. A range that one of `avoided` satisfies is not named. */
export function requirementOf(
  name: string,
  versions: readonly PublishedVersion[],
  avoided: readonly PublishedVersion[] = [],
): string {
  const latest = latestOf(versions);
  if (latest === undefined) return name;
  const stability = parseStability(latest.entry.version_normalized);
  if (stability === 'dev') return `${name}:${(defaultBranchOf(versions) ?? latest).entry.version}`;
  const { version, version_normalized: normalized } = latest.entry;
  const caret = [caretOf(normalized)].find((range) => range !== undefined && !satisfied(range, avoided)) ?? version;
  return `${name}:${caret}${stability === 'stable' ? '' : `@${stability}`}`;
}

function satisfied(range: string, versions: readonly PublishedVersion[]): boolean {
  const parsed = parseConstraint(range);
  if ('refusal' in parsed) return false;
  return versions.some(({ entry }) => matches(parsed.constraint, entry.version_normalized as NormalizedVersion));
}

function defaultBranchOf(versions: readonly PublishedVersion[]): PublishedVersion | undefined {
  return versions.find(({ record }) => record['default-branch'] === true);
}

/** `2.4.1.0` → `^2.4`, `0.3.1.0` → `^0.3.1`; undefined for a version without four numbers, such as a date. */
function caretOf(normalized: string): string | undefined {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)\.\d+(?:-|$)/.exec(normalized) ?? [];
  if (major === undefined) return undefined;
  return major === '0' ? `^0.${minor}.${patch}` : `^${major}.${minor}`;
}
