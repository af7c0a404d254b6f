// The columns of the list of versions, with what a person may do with each version.

import { useContext, type Child } from 'hono/jsx';
import { Badge } from '../../components/badge.tsx';
import { A, PlaceContext } from '../../components/place.tsx';
import { formatBytes, formatNumber } from '../../components/quantity.ts';
import type { Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import type { Block } from '../../../policy/admin/blocked-versions.ts';
import type { PageRequest } from '../../frame/definitions.ts';
import { ShortReference } from './facts-panel.tsx';
import { packagePath } from './open-package.ts';
import { Cause, type CauseOf } from './withdrawal-causes.tsx';
import { VersionLink, versionAnchor } from './version-link.tsx';
import type { VersionRow } from './version-rows.ts';

export interface VersionTableRow extends VersionRow {
  readonly isLatest: boolean;
  /** an advisory or a filter list is about it */
  readonly isAdvised: boolean;
  /** what the policy has against it; undefined: nothing, or the page is stored */
  readonly block: Block | undefined;
  /** the page of its commit; undefined: unknown */
  readonly commit: string | undefined;
  /** `you`; undefined: the version is not withdrawn by hand, or it is not known who withdrew it */
  readonly withdrawnBy: string | undefined;
  /** why it is withdrawn; undefined: it is published, a person withdrew it, or nobody recorded it */
  readonly cause: ReturnType<CauseOf>;
}

/** The columns for everyone. `nowMs`: undefined if the page is stored. */
export function versionColumns(name: string, nowMs: number | undefined): readonly Column<VersionTableRow>[] {
  return [
    { label: 'Version', cell: (row) => <NameCell {...{ name, row }} /> },
    { label: 'Released', cell: (row) => <SinceCell {...{ row, nowMs }} /> },
    { label: 'Reference', cell: ({ reference, commit }) => <ShortReference {...{ reference }} link={commit} /> },
    { label: 'Size', isNumber: true, cell: ({ size }) => formatBytes(size) },
  ];
}

/** The further columns of the console. */
export function consoleColumns(
  name: string,
  { may, hasBuilder }: Pick<PageRequest, 'may' | 'hasBuilder'>,
): readonly Column<VersionTableRow>[] {
  return [
    { label: 'Downloads', isNumber: true, cell: ({ downloads }) => formatNumber(downloads) },
    {
      label: 'Actions',
      isPlain: true,
      cell: (row) => (
        <Actions
          {...{ name, row }}
          mayCompare={hasBuilder}
          mayWithdraw={may('withdrawVersion')}
          mayRestore={may('restoreVersion')}
          mayExplain={may('explainPolicy')}
        />
      ),
    },
  ];
}

function NameCell({ name, row }: { readonly name: string; readonly row: VersionTableRow }): Child {
  const { block } = row;
  if (block === undefined) return <NameLine {...{ name, row }} />;
  return (
    <div class="stack-tight">
      <NameLine {...{ name, row }} />
      <span class="soft small breaks">
        rule <code>{block.rule}</code>: {block.because}
      </span>
    </div>
  );
}

function NameLine({ name, row }: { readonly name: string; readonly row: VersionTableRow }): Child {
  const { version, kind, isLatest, isAdvised, block } = row;
  const { isCatalogue } = useContext(PlaceContext);
  return (
    <span class="row" {...(isCatalogue ? { id: versionAnchor(version) } : {})}>
      {kind === 'withdrawn' ? (
        <A to={packagePath(name, 'why', { version })} class="main-link">
          {version}
        </A>
      ) : (
        <VersionLink {...{ name, version }} isMain />
      )}
      {isLatest ? (
        <Badge kind="good" icon="circle-check">
          latest
        </Badge>
      ) : null}
      {isAdvised ? (
        <A to={packagePath(name, 'advisories')}>
          <Badge kind="bad" icon="shield-alert">
            advisory
          </Badge>
        </A>
      ) : null}
      {block === undefined ? null : (
        <Badge kind="bad" icon="ban">
          blocked
        </Badge>
      )}
      {kind === 'withdrawn' ? (
        <Badge kind="warn" icon="ban">
          withdrawn
        </Badge>
      ) : null}
    </span>
  );
}

const dayMs = 86_400_000;

/** The date of the release, and that of its publication here if it was on another day. */
function SinceCell({ row, nowMs }: { readonly row: VersionTableRow; readonly nowMs: number | undefined }): Child {
  const { kind, since, withdrawnBy, cause, published } = row;
  const released = published?.entry.time ?? since;
  if (kind !== 'withdrawn')
    return (
      <span>
        <Time at={released} nowMs={nowMs} />
        {Math.abs(Date.parse(since) - Date.parse(released)) < dayMs ? null : (
          <span class="soft small">
            , published <Time at={since} nowMs={nowMs} />
          </span>
        )}
      </span>
    );
  return (
    <span>
      withdrawn <Time at={since} nowMs={nowMs} />
      {withdrawnBy === undefined ? '' : ` by ${withdrawnBy}`}
      {cause === undefined ? null : (
        <span class="soft small">
          {' '}
          <Cause cause={cause} />
        </span>
      )}
    </span>
  );
}

interface ActionsProps {
  readonly name: string;
  readonly row: VersionTableRow;
  readonly mayCompare: boolean;
  readonly mayWithdraw: boolean;
  readonly mayRestore: boolean;
  readonly mayExplain: boolean;
}

function Actions({ name, row, mayCompare, mayWithdraw, mayRestore, mayExplain }: ActionsProps): Child {
  const { version, kind, isByHand, previous, block } = row;
  return (
    <span class="row small">
      {previous === undefined || !mayCompare ? null : (
        <A
          to={packagePath(name, 'compare', { from: previous, to: version })}
          aria-label={`Compare ${version} with ${previous}`}
        >
          Compare
        </A>
      )}
      {block === undefined || !mayExplain ? null : (
        <A to={packagePath(name, 'policy', { version })} aria-label={`Explain why ${version} is blocked`}>
          Explain
        </A>
      )}
      {kind === 'withdrawn' || !mayWithdraw ? null : (
        <A to={packagePath(name, 'withdraw', { version })} aria-label={`Withdraw ${version}`} data-dialog>
          Withdraw
        </A>
      )}
      {kind === 'withdrawn' && isByHand && mayRestore ? (
        <A to={packagePath(name, 'restore', { version })} aria-label={`Restore ${version}`} data-dialog>
          Restore
        </A>
      ) : null}
    </span>
  );
}
