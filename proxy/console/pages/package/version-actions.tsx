// The columns that the list of versions has in the console alone. A row has the link that withdraws or restores its
// version, and a menu with everything else, which opens without JavaScript, too.

import type { Child } from 'hono/jsx';
import { requireLine } from '../../../../build/shared/text/install-lines.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Icon } from '../../components/icon.tsx';
import { A } from '../../components/place.tsx';
import { formatNumber } from '../../components/values.tsx';
import type { Column } from '../../components/table.tsx';
import type { PageRequest } from '../../frame/definitions.ts';
import { packagePath } from './open-package.ts';
import type { VersionTableRow } from './version-columns.tsx';

/** The further columns of the console. */
export function consoleColumns(name: string, request: ActionsProps['request']): readonly Column<VersionTableRow>[] {
  return [
    { label: 'Downloads', isNumber: true, cell: ({ downloads }) => formatNumber(downloads) },
    { label: 'Actions', isPlain: true, cell: (row) => <VersionActions {...{ name, row, request }} /> },
  ];
}

interface ActionsProps {
  readonly name: string;
  readonly row: VersionTableRow;
  readonly request: Pick<PageRequest, 'may' | 'hasBuilder'>;
}

function VersionActions({ name, row, request }: ActionsProps): Child {
  const { version, kind, isByHand, block, warning } = row;
  const isWithdrawn = kind === 'withdrawn';
  const [page, word] = isWithdrawn ? ['restore', 'Restore'] : ['withdraw', 'Withdraw'];
  const mayChange = isWithdrawn ? isByHand && request.may('restoreVersion') : request.may('withdrawVersion');
  return (
    <div class="row small">
      {mayChange ? (
        <A to={packagePath(name, page, { version })} aria-label={`${word} ${version}`} data-dialog>
          {word}
        </A>
      ) : null}
      <details class="menu" name="versions">
        <summary>
          <Icon name="ellipsis" label={`More about ${version}`} />
        </summary>
        <div>
          {block === undefined ? null : (
            <p class="soft breaks">
              {block.isHeld ? 'Held' : 'Blocked'} by the rule <code>{block.rule}</code>: {block.because}
            </p>
          )}
          {versionLinks(name, row, request).map(({ label, to }) => (
            <A to={to}>{label}</A>
          ))}
          {isWithdrawn || block !== undefined || warning === 'malware' ? null : (
            <CodeBlock label={`the line that installs ${version}`} text={requireLine(`${name}:${version}`)} />
          )}
        </div>
      </details>
    </div>
  );
}

/** The pages about a version, as far as this person may see them. `previous`: the one to compare it with. */
export function versionLinks(
  name: string,
  { version, kind, previous, block }: Pick<VersionTableRow, 'version' | 'kind' | 'previous' | 'block'>,
  { may, hasBuilder }: ActionsProps['request'],
): readonly { readonly label: string; readonly to: string }[] {
  const isWithdrawn = kind === 'withdrawn';
  const link = (isShown: boolean, label: string, page: string, query: Readonly<Record<string, string>> = { version }) =>
    isShown ? [{ label, to: packagePath(name, page, query) }] : [];
  return [
    ...link(hasBuilder && !isWithdrawn, 'Files', 'files'),
    ...(previous === undefined
      ? []
      : link(hasBuilder, `Compare with ${previous}`, 'compare', { from: previous, to: version })),
    ...link(may('getUsage'), 'Who uses it', 'usage', { constraint: version }),
    ...link(may('explainVersion'), isWithdrawn ? 'Why it is withdrawn' : 'Why it is here', 'why'),
    ...link(block !== undefined && may('explainPolicy'), 'What each rule says', 'policy'),
  ];
}
