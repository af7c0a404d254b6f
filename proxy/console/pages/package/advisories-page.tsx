// The security advisories and filter lists that name a package, with the published versions that they are about.

import type { Child } from 'hono/jsx';
import { Badge } from '../../components/badge.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { formatCount, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { versionWarnings, type VersionWarning } from './advised-versions.ts';
import { MalwareBadge } from './concerns.tsx';
import { ExternalLink } from './facts-panel.tsx';
import { packageView, type OpenPackage, type PackagePageServices } from './open-package.ts';
import { PackageFrame } from './package-frame.tsx';
import { readUsedBy, UsedBy, type UsedByProps } from './used-by.tsx';
import { VersionLink } from './version-link.tsx';

export async function showAdvisories(
  services: PackagePageServices,
  request: SignedInRequest,
  opened: OpenPackage,
): Promise<PageView> {
  const warned = versionWarnings(opened.advisories, opened.details.versions);
  const affected = [...new Set(warned.flatMap((one) => one.affected))].slice(0, maxLabels);
  const usedBy = affected.length === 0 ? undefined : await readUsedBy(services, request, opened.name, affected);
  return packageView(`Advisories of ${opened.name}`, <Advisories {...{ opened, usedBy }} />);
}

interface AdvisoriesProps {
  readonly opened: OpenPackage;
  /** of the affected versions; undefined: the visitor may not know it */
  readonly usedBy?: UsedByProps | undefined;
}

export function Advisories({ opened, usedBy }: AdvisoriesProps): Child {
  const warned = versionWarnings(opened.advisories, opened.details.versions);
  return (
    <PackageFrame opened={opened} tab="advisories">
      {usedBy === undefined ? null : <UsedBy {...usedBy} />}
      {warned.length === 0 ? (
        <EmptyState icon="shield-check" title="No advisory">
          The registry’s list names no advisory for this package.
        </EmptyState>
      ) : (
        <Table caption="Advisories" columns={columnsOf(opened)} rows={warned} />
      )}
    </PackageFrame>
  );
}

const maxLabels = 20;

function columnsOf({ name }: OpenPackage): readonly Column<VersionWarning>[] {
  return [
    { label: 'Advisory', cell: TitleCell },
    { label: 'Concerns', cell: ({ constraint }) => <code>{constraint}</code> },
    {
      label: 'Published versions among them',
      isPlain: true,
      cell: ({ affected }) => <AffectedCell {...{ name, affected }} />,
    },
    { label: 'Fixed in', cell: ({ fixedIn }) => <Fixes {...{ name, fixedIn }} /> },
    { label: 'Reported', cell: ({ reportedAt: at }) => <Time at={at} /> },
  ];
}

function Fixes({ name, fixedIn }: Pick<VersionWarning, 'fixedIn'> & { readonly name: string }): Child {
  return (
    <span class="row">
      {fixedIn.map((version) => (
        <VersionLink {...{ name, version }} />
      ))}
    </span>
  );
}

function TitleCell({ title, ids, severity, link, isMalware }: VersionWarning): Child {
  return (
    <div class="stack-tight">
      <span class="row">
        {link === undefined ? <strong class="breaks">{title}</strong> : <ExternalLink to={link}>{title}</ExternalLink>}
        {isMalware ? <MalwareBadge /> : null}
        {severity === undefined ? null : <Badge kind="warn" icon="shield-alert" label={severity} />}
      </span>
      <span class="soft small">{ids.join(', ')}</span>
    </div>
  );
}

function AffectedCell({ name, affected }: { readonly name: string; readonly affected: readonly string[] }): Child {
  if (affected.length === 0) return <Badge kind="good" icon="circle-check" label="none" />;
  return (
    <span class="row">
      <Badge kind="bad" icon="triangle-alert" label={formatCount(affected.length, 'version')} />
      {affected.slice(0, maxLabels).map((version) => (
        <VersionLink {...{ name, version }} />
      ))}
      {affected.length > maxLabels ? <span class="soft">and {affected.length - maxLabels} more</span> : null}
    </span>
  );
}
