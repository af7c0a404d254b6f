// The page of a package of another registry: what this server knows of it without asking that registry.

import type { Child } from 'hono/jsx';
import type { WithheldVersions, OfferedRelease } from '../../../mirror/catalogue/cached-summary.ts';
import { readMirroredPackage, type StoredVersion, type MirroredPackage } from '../../../mirror/mirrored-package.ts';
import type { PackageSummary } from '../../../packages/package-summary.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { Badge } from '../../components/badge.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { A } from '../../components/place.tsx';
import { formatCount, formatBytes } from '../../components/quantity.ts';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { Fact } from '../../components/fact.tsx';
import type { VersionStanding } from '../../../policy/admin/package-standing.ts';
import { Concerns } from './concerns.tsx';
import { HeldBackList, heldBackOf } from './held-back.tsx';
import { ExternalLink } from './facts-panel.tsx';
import { InstallPanel } from './install-panel.tsx';
import { packagePath } from './open-package.ts';
import type { PackagePageServices } from './package-services.ts';
import { webAddress } from './web-links.ts';

interface MirroredProps {
  readonly summary: PackageSummary;
  readonly stored: MirroredPackage;
  readonly versions: readonly ShownVersion[];
  readonly heldBack: readonly WithheldVersions[];
  /** the published packages that require it */
  readonly dependents: readonly PackageName[];
  readonly request: SignedInRequest;
}

/** undefined: the name is not mirrored, or nothing of it is stored yet. */
export async function showMirrored(
  services: PackagePageServices,
  request: SignedInRequest,
  name: PackageName,
): Promise<PageView | undefined> {
  const { catalogue, mirrored, mirror } = services;
  const summary = (await mirrored?.read(request.nowMs, request.caller.view))?.get(name);
  if (summary === undefined || mirror === undefined) return undefined;
  const [stored, packages, heldBack = [], standing] = await Promise.all([
    readMirroredPackage(mirror, name),
    catalogue.read(request.nowMs, request.caller.view),
    heldBackOf(services, name, request.nowMs),
    services.policyAdmin.standing(name),
  ]);
  const states = new Map(standing?.versions.map((one) => [one.version, one]));
  return {
    title: name,
    section: 'packages',
    content: (
      <Mirrored
        {...{ summary, stored, heldBack, request }}
        versions={mirroredVersions(mirrored?.offered(name) ?? [], stored.kept).map((one) => ({
          ...one,
          standing: states.get(one.version),
        }))}
        dependents={packages.dependentsOf(name)}
      />
    ),
  };
}

const maxRows = 100;

/** A version that clients may get, or whose archive is stored. */
interface MirroredVersion extends OfferedRelease {
  /** undefined: no client has installed it yet */
  readonly kept: StoredVersion | undefined;
}

interface ShownVersion extends MirroredVersion {
  /** advisories and blocks; undefined: nothing is known */
  readonly standing: VersionStanding | undefined;
}

/** First those that the registry offers, as it orders them; then those of which only the archive is left. */
function mirroredVersions(
  offered: readonly OfferedRelease[],
  kept: readonly StoredVersion[],
): readonly MirroredVersion[] {
  const names = new Set(offered.map(({ version }) => version));
  const left = kept.filter(({ version }) => !names.has(version));
  return [
    ...offered.map((release) => ({ ...release, kept: kept.find(({ version }) => version === release.version) })),
    ...left.map((one) => ({ version: one.version, released_at: null, kept: one })),
  ];
}

function MirroredHead({ name, description, type, abandoned }: MirroredProps['summary']): Child {
  return (
    <div class="stack-tight">
      <PageHead
        title={name}
        sentence={description ?? 'This package has no description.'}
        trail={[{ label: 'Packages', to: '/packages' }]}
      />
      <div class="row">
        <Badge icon="layers">mirrored</Badge>
        <Badge icon="package">{type}</Badge>
        {abandoned === false ? null : (
          <Badge kind="warn" icon="archive">
            abandoned
          </Badge>
        )}
      </div>
    </div>
  );
}

function Mirrored({ summary, stored, versions, heldBack, dependents, request }: MirroredProps): Child {
  const { name } = summary;
  return (
    <>
      <MirroredHead {...summary} />
      <div class="package">
        <InstallPanel requirement={name} origin={request.origin} makesTokens={request.may('createToken')} />
        <div class="readme stack">
          <HeldBackList heldBack={heldBack} />
          <section class="stack-tight">
            <h2>Versions</h2>
            <Versions versions={versions} unreadable={stored.unreadable} nowMs={request.nowMs} />
            {request.may('getUsage') ? (
              <p>
                <A to={packagePath(name, 'usage')}>Who uses it</A>
              </p>
            ) : null}
            {request.may('listMirrored') ? (
              <p>
                <A to={`/mirror/${name}`}>What the mirror stores of it</A>
              </p>
            ) : null}
          </section>
        </div>
        <aside>
          <MirroredFacts {...{ summary, stored, dependents }} />
        </aside>
      </div>
    </>
  );
}

function Versions({ versions, unreadable, nowMs }: VersionsProps): Child {
  return (
    <>
      {unreadable === 0 ? null : (
        <Notice kind="warn">
          {formatCount(unreadable, 'record')} of this package cannot be read. <code>libretto mirror verify</code> names
          them.
        </Notice>
      )}
      <p class="soft small">
        An archive is stored when the first client installs it. Clients get stored archives unchanged, even while the
        other registry is down.
      </p>
      <Table caption="Versions" columns={columnsOf(nowMs)} rows={versions.slice(0, maxRows)} />
      {versions.length > maxRows ? <p class="soft small">and {versions.length - maxRows} more</p> : null}
    </>
  );
}

interface VersionsProps {
  readonly versions: readonly ShownVersion[];
  readonly unreadable: number;
  readonly nowMs: number;
}

function columnsOf(nowMs: number): readonly Column<ShownVersion>[] {
  const timeOf = (at: string | null, without: string): Child =>
    at === null ? <span class="soft">{without}</span> : <Time at={at} nowMs={nowMs} />;
  return [
    { label: 'Version', cell: ({ version }) => <strong>{version}</strong> },
    { label: 'Advisories', isPlain: true, cell: ({ standing }) => <Standing standing={standing} /> },
    { label: 'Released', cell: ({ released_at: at }) => timeOf(at, 'unknown') },
    { label: 'Archive stored', cell: ({ kept }) => timeOf(kept?.fetched_at ?? null, 'not yet') },
    { label: 'Size', isNumber: true, cell: ({ kept }) => (kept === undefined ? '' : formatBytes(kept.size)) },
    {
      label: 'SHA-1',
      cell: ({ kept }) => (kept === undefined ? '' : <code title={kept.shasum}>{kept.shasum.slice(0, 12)}</code>),
    },
  ];
}

function Standing({ standing }: Pick<ShownVersion, 'standing'>): Child {
  if (standing === undefined || standing.concerns.length === 0) return '';
  return (
    <div class="stack-tight">
      <Concerns advisories={standing.concerns} malware={standing.concerns.some(({ isMalware }) => isMalware)} />
      {standing.fixedIn === null ? null : <span>Fixed in {standing.fixedIn}</span>}
    </div>
  );
}

function MirroredFacts({
  summary,
  stored,
  dependents,
}: Pick<MirroredProps, 'summary' | 'stored' | 'dependents'>): Child {
  const pages = [webAddress(summary.homepage), webAddress(summary.repository)].flatMap((one) => one ?? []);
  return (
    <dl class="facts">
      <Fact label="Newest version offered">{summary.latest_version}</Fact>
      <Fact label={stored.registries.length === 1 ? 'From' : 'From the first of these that has it'}>
        {stored.registries.map((address) => (
          <div>
            <code>{address}</code>
          </div>
        ))}
      </Fact>
      {pages.length === 0 ? null : (
        <Fact label="Links">
          {[...new Set(pages)].map((to) => (
            <div>
              <ExternalLink to={to}>{to}</ExternalLink>
            </div>
          ))}
        </Fact>
      )}
      <Fact label="Required here by">
        {dependents.length === 0 ? 'no package' : null}
        {dependents.slice(0, 10).map((one) => (
          <div>
            <A to={packagePath(one)}>{one}</A>
          </div>
        ))}
        {dependents.length > 10 ? <div class="soft">and {dependents.length - 10} more</div> : null}
      </Fact>
    </dl>
  );
}
