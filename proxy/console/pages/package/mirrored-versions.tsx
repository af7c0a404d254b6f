// The versions on the page of a package of another registry: those that it offers, and the archives that are kept.

import type { Child } from 'hono/jsx';
import type { JsonObject } from '../../../../build/contract/json.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import type { IndexEntry } from '../../../../build/contract/serving-index.ts';
import type { OfferedRelease } from '../../../mirror/catalogue/cached-summary.ts';
import type { MirroredPackage } from '../../../mirror/mirrored-package.ts';
import { linksOf, textsOf } from '../../../packages/package-summary.ts';
import { malwareOf, type PackageStanding, type VersionStanding } from '../../../policy/admin/package-standing.ts';
import { Notice } from '../../components/notice.tsx';
import { MainLink } from '../../components/place.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { formatBytes, formatCount, Time } from '../../components/values.tsx';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { Concerns } from './concerns.tsx';
import { packagePath } from './open-package.ts';

const maxRows = 100;
export const isMalware = ({ standing }: Pick<ShownVersion, 'standing'>) =>
  standing !== undefined && malwareOf(standing) !== null;

/** A version that clients may get, or whose archive is stored. */
export interface ShownVersion extends OfferedRelease {
  /** undefined: no client has installed it yet */
  readonly kept: IndexEntry | undefined;
  /** advisories and blocks; undefined: nothing is known */
  readonly standing: VersionStanding | undefined;
  /** of its registry, or of its archive */
  readonly record: JsonObject;
}

function releaseIn({ version, time }: JsonObject): OfferedRelease {
  return { version: String(version), released_at: Number.isNaN(Date.parse(String(time))) ? null : String(time) };
}

/**
 * First those that the registry offers, or all that it lists while rules refuse each; then those of which only the
 * archive is left.
 */
export function shownVersions(
  named: readonly OfferedRelease[],
  { kept: stored, listed }: MirroredPackage,
  standing: PackageStanding | undefined,
): readonly ShownVersion[] {
  const records = new Map([...stored.map(({ record }) => record), ...listed].map((one) => [one['version'], one]));
  const kept = new Map(stored.toReversed().map(({ entry }) => [entry.version, entry]));
  const states = new Map(standing?.versions.map((one) => [one.version, one]));
  const offered = named.length > 0 ? named : listed.map(releaseIn);
  const left = [...kept.keys()].filter((version) => !offered.some((one) => one.version === version));
  return [...offered, ...left.map((version) => releaseIn(records.get(version) ?? { version }))].map((one) => ({
    ...one,
    record: records.get(one.version) ?? {},
    kept: kept.get(one.version),
    standing: states.get(one.version),
  }));
}

interface MirroredVersionsProps {
  readonly name: PackageName;
  readonly stored: MirroredPackage;
  readonly versions: readonly ShownVersion[];
  readonly request: SignedInRequest;
}

export function MirroredVersions({ name, stored, versions, request }: MirroredVersionsProps): Child {
  return (
    <>
      {stored.unreadable === 0 ? null : (
        <Notice kind="warn">
          {formatCount(stored.unreadable, 'record')} of this package cannot be read. <code>libretto mirror verify</code>{' '}
          names them.
        </Notice>
      )}
      <p class="soft small">
        An archive is stored when the first client installs it. Clients get stored archives unchanged, even while the
        other registry is down.
      </p>
      <Table caption="Versions" columns={columnsOf(name, request)} rows={versions.slice(0, maxRows)} />
      {versions.length > maxRows ? <p class="soft small">and {versions.length - maxRows} more</p> : null}
    </>
  );
}

function columnsOf(name: PackageName, request: SignedInRequest): readonly Column<ShownVersion>[] {
  const timeOf = (at: string | null, without: string): Child =>
    at === null ? <span class="soft">{without}</span> : <Time at={at} />;
  return [
    {
      label: 'Version',
      cell: ({ version, kept }) =>
        kept === undefined || !request.hasBuilder ? (
          <strong>{version}</strong>
        ) : (
          <MainLink to={packagePath(name, 'files', { version })} text={version} />
        ),
    },
    { label: 'Advisories', isPlain: true, cell: ({ standing }) => <Standing standing={standing} /> },
    { label: 'Released', cell: ({ released_at: at }) => timeOf(at, 'unknown') },
    { label: 'Licence', cell: ({ record }) => <Breaking text={textsOf(record['license']).join(', ')} /> },
    { label: 'Requires', isPlain: true, cell: ({ record }) => <Breaking text={requirementsIn(record)} /> },
    {
      label: 'Archive stored',
      cell: ({ kept }) => (kept === undefined ? timeOf(null, 'not yet') : <Kept {...kept} />),
    },
  ];
}

/** A long name must not make the table wider than the page. */
function Breaking({ text }: { readonly text: string }): Child {
  return text === '' ? '' : <span class="breaks">{text}</span>;
}

function Kept({ since, size, shasum }: IndexEntry): Child {
  return (
    <div>
      <Time at={since} />
      <div class="soft small">
        {formatBytes(size)} <code title={`SHA-1 ${shasum}`}>{shasum.slice(0, 12)}</code>
      </div>
    </div>
  );
}

function requirementsIn(record: JsonObject): string {
  return Object.entries(linksOf(record, 'require'))
    .map(([name, constraint]) => `${name} ${constraint}`)
    .join(', ');
}

function Standing({ standing }: Pick<ShownVersion, 'standing'>): Child {
  if (standing === undefined || standing.concerns.length === 0) return '';
  return (
    <div class="stack-tight">
      <Concerns advisories={standing.concerns} malware={isMalware({ standing })} />
      {standing.fixedIn === null ? null : <span>Fixed in {standing.fixedIn}</span>}
    </div>
  );
}
