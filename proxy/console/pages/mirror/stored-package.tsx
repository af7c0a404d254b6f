// One stored package of another registry: what is held back of it and why, and its archives.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { parsePackageName, type PackageName } from '../../../../build/contract/name.ts';
import type { ArchiveRecord } from '../../../mirror/archives/archive-record.ts';
import type { MirrorReport } from '../../../mirror/mirror-report.ts';
import type { MirrorAlarm } from '../../../mirror/recent-alarms.ts';
import { ButtonLink } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/place.tsx';
import { formatCount, formatBytes, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { AlarmList } from './alarm-list.tsx';
import { HeldBackList } from '../package/held-back.tsx';
import { sizeOf, type StoredRow } from './stored-packages.tsx';

export function registerStoredPackage(pages: Pages, report: MirrorReport | undefined): void {
  pages.page({
    path: '/mirror/:vendor/:package',
    operation: 'listMirrored',
    show: (request) => showPackage(report, request),
  });
}

async function showPackage(report: MirrorReport | undefined, request: SignedInRequest): Promise<PageView> {
  const { nowMs } = request;
  const name = parsePackageName(`${request.param('vendor')}/${request.param('package')}`);
  const found = name === undefined ? undefined : (await report?.packages(nowMs))?.find((one) => one.name === name);
  if (report === undefined || found === undefined)
    throw new RegistryError('NOT_FOUND', { message: 'The mirror has stored no package of this name.' });
  const row = { ...found, archives: await report.archives(found.name) };
  const alarms = alarmsAbout(report, found.name);
  return { title: found.name, section: 'mirror', content: <StoredPackagePage {...{ row, alarms }} /> };
}

function alarmsAbout(report: MirrorReport, name: PackageName): readonly MirrorAlarm[] {
  return report.alarms().filter(({ about }) => about === name || about.startsWith(`${name} `));
}

interface StoredPackagePageProps {
  readonly row: StoredRow;
  readonly alarms: readonly MirrorAlarm[];
}

function StoredPackagePage({ row, alarms }: StoredPackagePageProps): Child {
  const { name, summary, isNamed, registry } = row;
  const offered =
    summary === undefined ? 'No version is offered' : `${formatCount(summary.versions, 'version')} offered`;
  return (
    <>
      <PageHead
        title={name}
        sentence={registry === undefined ? `${offered}.` : `${offered}, from the registry ${registry}.`}
        trail={[{ label: 'Mirror', to: '/mirror' }]}
        actions={isNamed ? <ButtonLink to={`/packages/${name}`} icon="package" label="Show the package" /> : undefined}
      />
      {alarms.length === 0 ? null : <AlarmList alarms={alarms} />}
      <HeldBackList heldBack={row.heldBack} />
      <Archives row={row} />
    </>
  );
}

function Archives({ row: { archives } }: { readonly row: StoredRow }): Child {
  const { records, unreadable } = archives;
  const columns: readonly Column<ArchiveRecord>[] = [
    { label: 'Version', cell: ({ version }) => <code>{version}</code> },
    { label: 'From', cell: ({ from }) => <span class="soft small breaks">{from}</span> },
    { label: 'SHA-1', cell: ({ shasum }) => <code class="small breaks">{shasum}</code> },
    { label: 'Fetched', cell: ({ fetchedAt }) => <Time at={fetchedAt} /> },
    { label: 'Size', isNumber: true, cell: ({ size }) => <span class="nowrap">{formatBytes(size)}</span> },
  ];
  return (
    <section class="stack-tight">
      <h2>Archives</h2>
      {unreadable === 0 ? null : (
        <Notice kind="bad">
          {formatCount(unreadable, 'record')} cannot be read. <code>libretto mirror verify</code> names the files.
        </Notice>
      )}
      {records.length === 0 ? (
        <p class="soft">An archive is stored when a client installs it.</p>
      ) : (
        <>
          <p class="soft">
            {formatCount(records.length, 'archive')}, {formatBytes(sizeOf(archives))}. They stay, because lock files
            name them.
          </p>
          <Table caption="Archives" columns={columns} rows={records} />
        </>
      )}
    </section>
  );
}
