// The files of two archives: which differ, and how large they are.

import type { Child } from 'hono/jsx';
import type { ComparedFile, ComparedFiles } from '../../../inspection/compare-files.ts';
import type { ComparedVersions } from '../../../inspection/comparison.ts';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import { formatCount, formatBytes, formatNumber } from '../../components/quantity.ts';
import { Table } from '../../components/table.tsx';
import { visibleText } from '../../components/visible-text.ts';
import { ChangeBadge } from './change-badge.tsx';

interface ComparedFileListProps {
  readonly compared: ComparedVersions;
  /** true: equal files are listed, too */
  readonly showsAll: boolean;
}

/** A page stays small enough for a phone. */
const maxShown = 500;

export function ComparedFileList({ compared, showsAll }: ComparedFileListProps): Child {
  const { files, not_listed: notListed } = compared;
  if (files === null)
    return (
      <>
        {notListed.map((sentence) => (
          <Notice kind="warn">{sentence}</Notice>
        ))}
      </>
    );
  const differing = files.all.filter(({ state }) => state !== 'same');
  const listed = showsAll ? files.all : differing;
  return (
    <>
      <p class="soft small">
        <Totals files={files} differing={differing.length} /> <Switch {...{ compared, showsAll }} />
      </p>
      {listed.length === 0 ? null : <Table caption="Files" columns={columns} rows={listed.slice(0, maxShown)} />}
      {listed.length > maxShown ? (
        <p class="soft small">
          The first {maxShown} files are listed; {formatNumber(listed.length - maxShown)} more follow.
        </p>
      ) : null}
    </>
  );
}

function Totals({ files, differing }: { readonly files: ComparedFiles; readonly differing: number }): Child {
  const { all, bytes_before: before, bytes_after: after } = files;
  const grown = after - before;
  const size = grown === 0 ? 'the same size' : `${formatBytes(Math.abs(grown))} ${grown > 0 ? 'more' : 'less'}`;
  return (
    <>
      {differing === 0 ? 'No file differs' : `${formatCount(differing, 'file differs', 'files differ')}`} of{' '}
      {formatNumber(all.length)}. Unpacked {formatBytes(before)} and {formatBytes(after)}: {size}.
    </>
  );
}

function Switch({ compared, showsAll }: ComparedFileListProps): Child {
  const { name, before, after } = compared;
  const query = new URLSearchParams({ from: before.version, to: after.version, ...(showsAll ? {} : { files: 'all' }) });
  return (
    <A to={`/packages/${name}/compare?${query}`}>{showsAll ? 'Show only what differs' : 'Show equal files, too'}</A>
  );
}

const columns = [
  { label: 'File', cell: ({ path }: ComparedFile) => <code>{visibleText(path)}</code> },
  { label: 'Change', cell: ({ state }: ComparedFile) => <ChangeBadge state={state} /> },
  { label: 'From', isNumber: true, cell: ({ before }: ComparedFile) => <Size bytes={before} /> },
  { label: 'To', isNumber: true, cell: ({ after }: ComparedFile) => <Size bytes={after} /> },
];

function Size({ bytes }: { readonly bytes: number | null }): Child {
  return bytes === null ? <span class="soft">none</span> : <span class="nowrap">{formatBytes(bytes)}</span>;
}
