// What one publication changed, by package and version.

import type { Child } from 'hono/jsx';
import { SourceText } from '../package/facts-panel.tsx';
import type { ChangedPackage, ChangedVersion, RecordedPublication } from '../../../inspection/publications.ts';
import { Badge } from '../../components/badge.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { PageHead, A, MainLink } from '../../components/place.tsx';
import { Pager } from '../../components/pager.tsx';
import { formatCount, formatNumber, Time } from '../../components/values.tsx';
import { Table } from '../../components/table.tsx';
import type { DescribedPublication } from './described-publication.ts';

/** How many versions a publication added, changed and withdrew, as badges. */
export function ChangeCounts({ counts }: Pick<RecordedPublication, 'counts'>): Child {
  const { added, changed, withdrawn, packages } = counts;
  return (
    <>
      {added === 0 ? null : <Badge kind="good" icon="plus" label={`${formatNumber(added)} added`} />}
      {changed === 0 ? null : <Badge kind="warn" icon="pencil" label={`${formatNumber(changed)} changed`} />}
      {withdrawn === 0 ? null : <Badge kind="bad" icon="circle-minus" label={`${formatNumber(withdrawn)} withdrawn`} />}
      {added + changed + withdrawn === 0 ? (
        <Badge icon="file-text" label={packages === 0 ? 'sources only' : 'metadata only'} />
      ) : null}
    </>
  );
}

export interface PublicationViewProps {
  readonly publication: DescribedPublication;
  /** of this page */
  readonly packages: readonly ChangedPackage[];
  /** the number of packages on the pages before */
  readonly from: number;
  readonly perPage: number;
  readonly isNewest: boolean;
  readonly mayRollBack: boolean;
}

export function PublicationView(props: PublicationViewProps): Child {
  const { publication, packages, from, perPage, isNewest, mayRollBack } = props;
  const { serial, counts } = publication;
  return (
    <>
      <PageHead
        title={`Publication ${serial}`}
        sentence={<PublicationOrigin {...props} />}
        trail={[{ label: 'Releases', to: '/history' }]}
        actions={
          isNewest ? (
            <Badge kind="good" icon="circle-check" label="served now" />
          ) : mayRollBack ? (
            <ButtonLink to={`/history/${serial}/roll-back`} icon="rotate-ccw" label="Roll back to here" />
          ) : undefined
        }
      />
      <div class="row">
        <ChangeCounts counts={counts} />
        {counts.packages === 0 ? null : <span class="soft small">in {formatCount(counts.packages, 'package')}</span>}
      </div>
      {counts.packages === 0 ? (
        <p>It changed no package: only the list of sources.</p>
      ) : (
        <Table caption={`Changes of publication ${serial}`} columns={columns} rows={packages.flatMap(rowsOf)} />
      )}
      <Pager
        shown={packages.length}
        from={from}
        total={counts.packages}
        perPage={perPage}
        pathOf={(page) => `/history/${serial}${page === 1 ? '' : `?page=${page}`}`}
      />
    </>
  );
}

function PublicationOrigin({ publication }: PublicationViewProps): Child {
  const { published_at: at, author, rollback_to: to, previous } = publication;
  return (
    <>
      Published <Time at={at} />
      {author === '' ? null : ` ${author}`}
      {to === null ? null : (
        <>
          , as a rollback to <A to={`/history/${to}`}>publication {to}</A>
        </>
      )}
      .{' '}
      {previous === 0 ? (
        'It was the first one.'
      ) : (
        <>
          The one before is <A to={`/history/${previous}`}>publication {previous}</A>.
        </>
      )}
    </>
  );
}

interface Row extends ChangedVersion {
  readonly name: string;
  readonly kind: 'added' | 'changed' | 'withdrawn' | 'metadata';
  /** the reference before; undefined: it was not published, or is no longer */
  readonly was?: string;
}

const kinds = {
  added: { kind: 'good', icon: 'plus' },
  changed: { kind: 'warn', icon: 'pencil' },
  withdrawn: { kind: 'bad', icon: 'circle-minus' },
  metadata: { kind: 'info', icon: 'file-text' },
} as const;

function rowsOf({ name, added, changed, withdrawn }: ChangedPackage): readonly Row[] {
  const rows: readonly Row[] = [
    ...added.map((version) => ({ ...version, name, kind: 'added' as const })),
    ...changed.map(({ was, ...version }) => ({ ...version, name, kind: 'changed' as const, was: was.reference })),
    ...withdrawn.map((version) => ({ ...version, name, kind: 'withdrawn' as const })),
  ];
  return rows.length > 0 ? rows : [{ name, kind: 'metadata', version: '', reference: '', source: '' }];
}

const columns = [
  {
    label: 'Package',
    cell: ({ name }: Row) => <MainLink to={`/packages/${name}`} text={name} />,
  },
  { label: 'Version', cell: VersionCell },
  {
    label: 'Change',
    cell: ({ kind }: Row) => <Badge {...kinds[kind]} label={kind === 'metadata' ? 'metadata only' : kind} />,
  },
  { label: 'Content', cell: ContentCell },
  {
    label: 'Source',
    cell: ({ source }: Row) => <span class="soft small">{source === '' ? '' : <SourceText text={source} />}</span>,
  },
];

/** A version that is not published any more has a page of reasons. */
function VersionCell({ name, version, kind }: Row): Child {
  if (kind === 'metadata') return null;
  const page = kind === 'withdrawn' ? 'why' : 'version';
  return (
    <A to={`/packages/${name}/${page}?${new URLSearchParams({ version })}`}>
      <code>{version}</code>
    </A>
  );
}

/** References begin with what tells them apart. */
function ContentCell({ reference, was }: Row): Child {
  if (reference === '') return null;
  return (
    <span class="small" title={was === undefined ? reference : `${was} → ${reference}`}>
      {was === undefined ? null : (
        <>
          <code>{was.slice(0, 10)}</code> →{' '}
        </>
      )}
      <code>{reference.slice(0, 10)}</code>
    </span>
  );
}
