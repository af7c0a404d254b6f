// The columns that the list of versions has in the console alone, with what a person can do with a row: what withdraws or restores it is beside the row, everything
// else in a menu. The menu opens without JavaScript, too.

import type { Child } from 'hono/jsx';
import { requireLine } from '../../../../build/shared/text/install-lines.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Icon } from '../../components/icon.tsx';
import { A } from '../../components/place.tsx';
import { formatNumber } from '../../components/quantity.ts';
import type { Column } from '../../components/table.tsx';
import type { PageRequest } from '../../frame/definitions.ts';
import { packagePath } from './open-package.ts';
import type { VersionTableRow } from './version-columns.tsx';

/** The further columns of the console. */
export function consoleColumns(
  name: string,
  request: Pick<PageRequest, 'may' | 'hasBuilder'>,
): readonly Column<VersionTableRow>[] {
  return [
    { label: 'Downloads', isNumber: true, cell: ({ downloads }) => formatNumber(downloads) },
    { label: 'Actions', isPlain: true, cell: (row) => <VersionActions {...{ name, row, request }} /> },
  ];
}

interface VersionActionsProps {
  readonly name: string;
  readonly row: VersionTableRow;
  readonly request: Pick<PageRequest, 'may' | 'hasBuilder'>;
}

function VersionActions({ name, row, request }: VersionActionsProps): Child {
  const { version, kind, isByHand, block } = row;
  const isWithdrawn = kind === 'withdrawn';
  return (
    <div class="row small">
      {!isWithdrawn && request.may('withdrawVersion') ? (
        <A to={packagePath(name, 'withdraw', { version })} aria-label={`Withdraw ${version}`} data-dialog>
          Withdraw
        </A>
      ) : null}
      {isWithdrawn && isByHand && request.may('restoreVersion') ? (
        <A to={packagePath(name, 'restore', { version })} aria-label={`Restore ${version}`} data-dialog>
          Restore
        </A>
      ) : null}
      <details class="menu" name="versions">
        <summary>
          <Icon name="ellipsis" label={`More about ${version}`} />
        </summary>
        <div>
          {block === undefined ? null : (
            <p class="soft breaks">
              Blocked by the rule <code>{block.rule}</code>: {block.because}
            </p>
          )}
          {linksOf(name, row, request).map(({ label, to }) => (
            <A to={to}>{label}</A>
          ))}
          {isWithdrawn || block !== undefined ? null : (
            <CodeBlock label={`the line that installs ${version}`} text={requireLine(`${name}:${version}`)} />
          )}
        </div>
      </details>
    </div>
  );
}

function linksOf(
  name: string,
  { version, kind, previous }: VersionTableRow,
  { may, hasBuilder }: VersionActionsProps['request'],
): readonly { readonly label: string; readonly to: string }[] {
  const isWithdrawn = kind === 'withdrawn';
  const link = (label: string, page: string, query: Readonly<Record<string, string>> = { version }) => [
    { label, to: packagePath(name, page, query) },
  ];
  return [
    ...(hasBuilder && !isWithdrawn ? link('Files', 'files') : []),
    ...(hasBuilder && previous !== undefined
      ? link(`Compare with ${previous}`, 'compare', { from: previous, to: version })
      : []),
    ...(may('getUsage') ? link('Who uses it', 'usage', { constraint: version }) : []),
    ...(may('explainVersion') ? link(isWithdrawn ? 'Why it is withdrawn' : 'Why it is here', 'why') : []),
  ];
}
