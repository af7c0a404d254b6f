// The frame of all pages about one package: its name, what it is, badges, and the tabs.

import { useContext, type Child } from 'hono/jsx';
import { Badge } from '../../components/badge.tsx';
import { PageHead, A, PlaceContext, type PageHeadProps } from '../../components/place.tsx';
import { formatNumber } from '../../components/values.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { versionWarnings } from './advised-versions.ts';
import { AdvisoryBadge, MalwareIn } from './concerns.tsx';
import { packagePath, type OpenPackage } from './open-package.ts';
import { BlockBadge } from './version-columns.tsx';
import { latestOf } from '../../../packages/package-summary.ts';

export type PackageTab =
  | 'overview'
  | 'versions'
  | 'files'
  | 'requires'
  | 'dependents'
  | 'downloads'
  | 'usage'
  | 'changelog'
  | 'advisories'
  | 'why';

const listTrail = [{ label: 'Packages', to: '/packages' }];

interface PackageFrameProps {
  readonly opened: OpenPackage;
  readonly tab: PackageTab;
  readonly children?: Child;
}

export function PackageFrame({ opened, tab, children }: PackageFrameProps): Child {
  const { name, summary } = opened;
  return (
    <>
      <div class="stack-tight">
        <PageHead title={name} sentence={summary.description ?? 'This package has no description.'} trail={listTrail} />
        <Badges opened={opened} />
      </div>
      <Tabs label="About this package" tabs={tabsOf(opened, tab, useContext(PlaceContext).isCatalogue)} />
      {children}
    </>
  );
}

interface FrameOrHeadProps extends PageHeadProps, Omit<PackageFrameProps, 'opened'> {
  readonly opened: OpenPackage | undefined;
}

/** The frame; with a heading of its own where nothing is published under the name. */
export function FrameOrHead({ opened, tab, children, trail = listTrail, ...head }: FrameOrHeadProps): Child {
  if (opened !== undefined) return <PackageFrame {...{ opened, tab, children }} />;
  return (
    <>
      <PageHead {...{ ...head, trail }} />
      {children}
    </>
  );
}

/** The catalogue knows neither downloads nor reasons. */
function tabsOf(opened: OpenPackage, current: PackageTab, isCatalogue: boolean) {
  const { name, details, dependents, latest } = opened;
  const warned = versionWarnings(opened.advisories, details.versions).length;
  const tab = (id: PackageTab, label: string, count = 0) => ({
    label: <TabLabel {...{ label, count }} />,
    to: packagePath(name, id === 'overview' ? '' : id),
    isCurrent: id === current,
  });
  return [
    tab('overview', 'Overview'),
    tab('versions', 'Versions', details.versions.length),
    ...(opened.hasFiles === true ? [tab('files', 'Files')] : []),
    tab('requires', 'Requires'),
    tab('dependents', 'Dependents', dependents.length),
    ...(isCatalogue ? [] : [tab('downloads', 'Downloads')]),
    ...(opened.seesUsage === true ? [tab('usage', 'Used by')] : []),
    ...(latest.entry.changelog === undefined && current !== 'changelog' ? [] : [tab('changelog', 'Changelog')]),
    ...(warned === 0 && current !== 'advisories' ? [] : [tab('advisories', 'Advisories', warned)]),
    ...(isCatalogue || opened.isLimited === true ? [] : [tab('why', 'Why')]),
  ];
}

/** `count`: 0 is not shown. */
function TabLabel({ label, count }: { readonly label: string; readonly count: number }): Child {
  return count === 0 ? (
    label
  ) : (
    <>
      {label} <span class="soft">{formatNumber(count)}</span>
    </>
  );
}

function Badges({ opened }: { readonly opened: OpenPackage }): Child {
  const { summary, latest, details, block } = opened;
  const newest = latestOf(details.versions) ?? latest;
  const warned = versionWarnings(opened.advisories, details.versions);
  const malware = warned.filter((one) => one.isMalware).flatMap(({ affected }) => affected);
  const advised = warned.filter((one) => !one.isMalware);
  return (
    <div class="row badges">
      {block === undefined ? (
        <Badge icon="tag" label={latest.entry.version} />
      ) : (
        <BlockBadge {...{ block }} of="every version" />
      )}
      {block === undefined && newest !== latest ? (
        <BlockBadge block={opened.blockOf(newest)} of={newest.entry.version} />
      ) : null}
      <Badge icon="package" label={summary.type} />
      {details.license.length === 0 ? null : <Badge icon="scale" label={details.license.join(', ')} />}
      {summary.abandoned === false ? null : (
        <Badge
          kind="warn"
          icon="archive"
          label={typeof summary.abandoned === 'string' ? `abandoned: use ${summary.abandoned}` : 'abandoned'}
        />
      )}
      <MalwareIn malware={opened.malware} />
      {malware.length === 0 || opened.malware !== undefined ? null : (
        <AdvisoryBadge isLatest={malware.includes(latest.entry.version)} isMalware />
      )}
      {advised.length === 0 ? null : (
        <A to={packagePath(opened.name, 'advisories')} class="row">
          <AdvisoryBadge isLatest={advised.some(({ affected }) => affected.includes(latest.entry.version))} />
        </A>
      )}
    </div>
  );
}
