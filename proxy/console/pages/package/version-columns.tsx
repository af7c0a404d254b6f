// The columns of the list of versions, in the console and in the catalogue.

import { useContext, type Child } from 'hono/jsx';
import { Badge } from '../../components/badge.tsx';
import { A, PlaceContext, MainLink } from '../../components/place.tsx';
import { formatBytes, Time } from '../../components/values.tsx';
import type { Column } from '../../components/table.tsx';
import type { Block } from '../../../policy/admin/package-standing.ts';
import { ShortReference } from './facts-panel.tsx';
import { packagePath } from './open-package.ts';
import { Cause, type CauseOf } from './withdrawal-causes.tsx';
import { VersionLink, versionAnchor } from './version-link.tsx';
import type { VersionRow } from './version-rows.ts';

export interface VersionTableRow extends VersionRow {
  readonly isLatest: boolean;
  /** what advisories and filter lists say that it is; undefined: nothing */
  readonly warning: 'malware' | 'advisory' | undefined;
  /** what the policy has against it; undefined: nothing, or the page is stored */
  readonly block: Block | undefined;
  /** the page of its commit; undefined: unknown */
  readonly commit: string | undefined;
  /** `you`; undefined: the version is not withdrawn by hand, or it is not known who withdrew it */
  readonly withdrawnBy: string | undefined;
  /** why it is withdrawn; undefined: it is published, a person withdrew it, or nobody recorded it */
  readonly cause: ReturnType<CauseOf>;
}

/** The columns for everyone. */
export function versionColumns(name: string): readonly Column<VersionTableRow>[] {
  return [
    { label: 'Version', cell: (row) => <NameCell {...{ name, row }} /> },
    { label: 'Released', cell: (row) => <SinceCell row={row} /> },
    { label: 'Reference', cell: ({ reference, commit }) => <ShortReference {...{ reference }} link={commit} /> },
    { label: 'Size', isNumber: true, cell: ({ size }) => formatBytes(size) },
  ];
}

function NameCell({ name, row }: { readonly name: string; readonly row: VersionTableRow }): Child {
  const { version, kind, isLatest, warning, block } = row;
  const { isCatalogue } = useContext(PlaceContext);
  return (
    <span class="row" {...(isCatalogue ? { id: versionAnchor(version) } : {})}>
      {kind === 'withdrawn' ? (
        <MainLink to={packagePath(name, 'why', { version })} text={version} />
      ) : (
        <VersionLink {...{ name, version }} isMain />
      )}
      {isLatest ? <Badge kind="good" icon="circle-check" label="latest" /> : null}
      {warning === undefined ? null : (
        <A to={packagePath(name, 'advisories')}>
          <Badge kind="bad" icon="shield-alert" label={warning} />
        </A>
      )}
      <BlockBadge block={block} />
    </span>
  );
}

interface BlockBadgeProps {
  readonly block?: Pick<Block, 'isHeld'> | undefined;
  /** what is blocked, where the place does not say it */
  readonly of?: string;
}

export function BlockBadge({ block, of = '' }: BlockBadgeProps): Child {
  if (block === undefined) return null;
  return block.isHeld ? (
    <Badge kind="warn" icon="calendar-clock" label={`${of} held`.trim()} />
  ) : (
    <Badge kind="bad" icon="ban" label={`${of} blocked`.trim()} />
  );
}

const dayMs = 86_400_000;

/** The date of the release, and that of its publication here if it was on another day. */
function SinceCell({ row }: { readonly row: VersionTableRow }): Child {
  const { kind, since, withdrawnBy, cause, published } = row;
  const released = published?.entry.time ?? published?.entry.first_published ?? since;
  if (kind !== 'withdrawn')
    return (
      <span>
        <Time at={released} />
        {Math.abs(Date.parse(since) - Date.parse(released)) < dayMs ? null : (
          <span class="soft small">
            , published <Time at={since} />
          </span>
        )}
      </span>
    );
  return (
    <span>
      withdrawn <Time at={since} />
      <span class="soft small">
        {withdrawnBy === undefined ? ' ' : ` by ${withdrawnBy} `}
        {cause === undefined ? null : <Cause cause={cause} />}
      </span>
    </span>
  );
}
