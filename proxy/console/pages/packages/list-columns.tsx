// The columns that every list of packages has: name with description and state, latest version, type, publication.

import type { Child } from 'hono/jsx';
import { Badge } from '../../components/badge.tsx';
import { MainLink } from '../../components/place.tsx';
import type { Column } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { AdvisoryBadge, MalwareIn } from '../package/concerns.tsx';
import { BlockBadge } from '../package/version-columns.tsx';
import type { PackageRow } from './list-query.ts';

/** Without what only a running server counts. */
export interface PublishedRow extends Omit<PackageRow, 'downloads'> {
  /** what its advisories are about is malware; a server names the versions instead, in `malware` */
  readonly isMalware?: boolean;
}

export const listColumns: Readonly<Record<'name' | 'latest' | 'type' | 'published', Column<PublishedRow>>> = {
  name: { label: 'Package', cell: NameCell },
  latest: {
    label: 'Latest',
    cell: ({ summary, block }) =>
      block === undefined ? <code class="whole">{summary.latest_version}</code> : <span class="soft">none</span>,
  },
  type: { label: 'Type', cell: ({ summary }) => <span class="soft nowrap">{summary.type}</span> },
  published: { label: 'Published', cell: ({ summary }) => <Time at={summary.updated_at} /> },
};

function NameCell({ summary, isMirrored, hasAdvisories, malware, ...row }: PublishedRow): Child {
  return (
    <div class="stack-tight">
      <span class="row">
        <MainLink to={`/packages/${summary.name}`} text={summary.name} />
        {summary.abandoned === false ? null : <AbandonedBadge />}
        <MalwareIn {...{ malware }} />
        <BlockBadge block={row.block} />
        {hasAdvisories && malware === undefined ? (
          <AdvisoryBadge isLatest={row.isLatestAdvised} isMalware={row.isMalware} />
        ) : null}
        {isMirrored ? <Badge icon="layers" label="mirrored" /> : null}
      </span>
      {summary.description === null ? null : <span class="soft small prose shortened">{summary.description}</span>}
    </div>
  );
}

export function AbandonedBadge(): Child {
  return <Badge kind="warn" icon="archive" label="abandoned" />;
}
