// The files of two archives: which differ, and how large they are.

import type { Child } from 'hono/jsx';
import type { IndexEntry } from '../../../../build/contract/serving-index.ts';
import type { ComparedFile, ComparedFiles } from '../../../contents/compare-files.ts';
import type { Unseen } from '../../../contents/look-inside.ts';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import { formatCount, formatBytes, formatNumber } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { visibleText } from '../../components/visible-text.ts';
import { packagePath } from '../package/open-package.ts';
import { Badge } from '../../components/badge.tsx';

/** Two versions of a package. */
export interface ComparedPair {
  readonly name: string;
  readonly before: IndexEntry;
  readonly after: IndexEntry;
}

interface ComparedFileListProps {
  readonly pair: ComparedPair;
  readonly files: ComparedFiles | Unseen;
  /** true: equal files are listed, too */
  readonly showsAll: boolean;
}

export function ComparedFileList({ pair, files, showsAll }: ComparedFileListProps): Child {
  if (files.kind === 'unseen') return <Notice kind="warn">{files.sentence}</Notice>;
  const { name, before, after } = pair;
  const query = { from: before.version, to: after.version, ...(showsAll ? {} : { files: 'all' }) };
  const left = (showsAll ? files.total : files.differing) - files.rows.length;
  return (
    <>
      <p class="soft small">
        <Totals files={files} />{' '}
        <A to={packagePath(name, 'compare', query)}>{showsAll ? 'Show only what differs' : 'Show equal files, too'}</A>
      </p>
      {files.rows.length === 0 ? null : <Table caption="Files" columns={columnsOf(pair)} rows={files.rows} />}
      {left === 0 ? null : <p class="soft small">{formatNumber(left)} more are not listed.</p>}
    </>
  );
}

function Totals({ files }: { readonly files: ComparedFiles }): Child {
  const { differing, total, bytes_before: before, bytes_after: after } = files;
  const grown = after - before;
  const size = grown === 0 ? 'the same size' : `${formatBytes(Math.abs(grown))} ${grown > 0 ? 'more' : 'less'}`;
  return (
    <>
      {differing === 0 ? 'No file differs' : `${formatCount(differing, 'file differs', 'files differ')}`} of{' '}
      {formatNumber(total)}. Unpacked {formatBytes(before)} and {formatBytes(after)}: {size}.
    </>
  );
}

function columnsOf({ name, before, after }: ComparedPair): readonly Column<ComparedFile>[] {
  const pathOf = (file: string): string =>
    packagePath(name, 'compare', { from: before.version, to: after.version, file });
  return [
    {
      label: 'File',
      cell: ({ path }) => (
        <A to={pathOf(path)}>
          <code>{visibleText(path)}</code>
        </A>
      ),
    },
    { label: 'Change', cell: ({ state }) => <ChangeBadge state={state} /> },
    { label: 'From', isNumber: true, cell: (file) => <Size bytes={file.before} /> },
    { label: 'To', isNumber: true, cell: (file) => <Size bytes={file.after} /> },
  ];
}

function Size({ bytes }: { readonly bytes: number | null }): Child {
  return bytes === null ? <span class="soft">none</span> : <span class="nowrap">{formatBytes(bytes)}</span>;
}

const badges = {
  added: { kind: 'good', icon: 'plus' },
  removed: { kind: 'bad', icon: 'circle-minus' },
  changed: { kind: 'warn', icon: 'pencil' },
  same: { kind: 'info', icon: 'check' },
} as const;

export function ChangeBadge({ state }: Pick<ComparedFile, 'state'>): Child {
  return <Badge {...badges[state]} label={state} />;
}
