// The advisories about a version in a cell of a table. Malware is called malware.

import type { Child } from 'hono/jsx';
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
          {title} <span class="soft small">{severity === null ? id : `${severity}, ${id}`}</span>
        </span>
      ))}
      {advisories.length > mostShown ? <span class="soft small">and {advisories.length - mostShown} more</span> : null}
    </div>
  );
}

/** `of`: which version is. */
export function MalwareBadge({ of = '' }: { readonly of?: string }): Child {
  return <Badge kind="bad" icon="shield-alert" label={`malware${of}`} />;
}

/** Nothing if the package has none. */
export function MalwareIn({ malware: [one, ...others] = [] }: WithMalware): Child {
  if (one === undefined) return null;
  return <MalwareBadge of={others.length === 0 ? ` ${one.version}` : ` in ${others.length + 1} versions`} />;
}

/** Says that the version is malware, and who says so. `children`: if it is none. */
export function MalwareNotice({
  malware = [],
  version,
  children,
}: WithMalware & { readonly version: string; readonly children?: Child }): Child {
  const found = malware.find((one) => one.version === version);
  if (found === undefined) return children;
  return (
    <Notice kind="bad">
      <Concerns advisories={found.concerns} malware />
    </Notice>
  );
}
