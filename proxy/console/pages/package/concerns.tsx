// The advisories about a version in a cell of a table. Malware is called malware.

import type { Child } from 'hono/jsx';
import { listShortly } from '../../../../build/shared/text/list-shortly.ts';
import type { VersionStanding } from '../../../policy/admin/package-standing.ts';
import type { WithMalware } from '../../../usage/read-exposures.ts';
import { Badge } from '../../components/badge.tsx';
import { Notice } from '../../components/notice.tsx';

interface ConcernsProps {
  readonly advisories: readonly { readonly id: string; readonly title: string; readonly severity: string | null }[];
  readonly malware: boolean;
}

const mostShown = 3;

export function Concerns({ advisories, malware }: ConcernsProps): Child {
  return (
    <div class="stack-tight">
      {malware ? (
        <div>
          <MalwareBadge />
        </div>
      ) : null}
      {advisories.slice(0, mostShown).map(({ id, title, severity }) => (
        <span class="breaks">
          {severity === null ? null : <Severity {...{ severity }} />} {title} <span class="soft small">{id}</span>
        </span>
      ))}
      {advisories.length > mostShown ? <span class="soft small">and {advisories.length - mostShown} more</span> : null}
    </div>
  );
}

function Severity({ severity }: { readonly severity: string }): Child {
  return <Badge kind={['critical', 'high'].includes(severity) ? 'bad' : 'warn'} label={severity} />;
}

/** `of`: which version is. */
export function MalwareBadge({ of = '' }: { readonly of?: string }): Child {
  return <Badge icon="shield-alert" label={`malware${of}`} kind="bad" />;
}

interface AdvisoryBadgeProps {
  /** an advisory is about the latest version */
  readonly isLatest: boolean;
  readonly isMalware?: boolean | undefined;
}

export function AdvisoryBadge({ isLatest, isMalware = false }: AdvisoryBadgeProps): Child {
  const of = isMalware ? 'malware' : 'advisory';
  const others = isMalware ? ' in other versions' : ' for other versions';
  return <Badge kind={isLatest ? 'bad' : 'warn'} icon="shield-alert" label={isLatest ? of : `${of}${others}`} />;
}

/** In the heading of a package and in every list. Nothing if the package has none. */
export function MalwareIn({
  malware: [one, ...others] = [],
}: {
  readonly malware?: readonly Pick<VersionStanding, 'version' | 'refused'>[] | undefined;
}): Child {
  if (one === undefined) return null;
  const isRefused = [one, ...others].every(({ refused }) => refused);
  const of = others.length === 0 ? ` ${one.version}` : ` in ${others.length + 1} versions`;
  return <MalwareBadge of={isRefused ? `${of}, blocked` : of} />;
}

export function malwareIn(
  { malware = [] }: { readonly malware?: readonly Pick<VersionStanding, 'version'>[] | undefined },
  version: string,
): boolean {
  return malware.some((one) => one.version === version);
}

/** Says which versions are malware, and who says so: this one, or all without a version. `children`: if none is. */
export function MalwareNotice({
  malware = [],
  version,
  children,
}: WithMalware & { readonly version?: string | undefined; readonly children?: Child }): Child {
  const found = malware.filter((one) => version === undefined || one.version === version);
  if (found.length === 0) return children;
  return (
    <>
      <Notice kind="bad">
        {version === undefined ? <p>{listShortly(found.map((one) => one.version))}</p> : null}
        <Concerns advisories={found[0]?.concerns ?? []} malware />
      </Notice>
      {version === undefined ? children : null}
    </>
  );
}
