// The page of a package of another registry: what this server knows of it without asking that registry.

import type { Child } from 'hono/jsx';
import type { HeldBack } from '../../../mirror/catalogue/cached-summary.ts';
import { readMirroredPackage, type KeptVersion, type MirroredPackage } from '../../../mirror/mirrored-package.ts';
import type { PackageSummary } from '../../../packages/package-summary.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { Badge } from '../../components/badge.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { A } from '../../components/place.tsx';
import { counted, shownBytes } from '../../components/quantity.ts';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { Fact } from '../../components/fact.tsx';
import { HeldBackList, heldBackOf } from './held-back.tsx';
import { Outside } from './facts-panel.tsx';
import { InstallPanel } from './install-panel.tsx';
import { packagePath } from './open-package.ts';
import type { PackagePageServices } from './package-services.ts';
import { webAddress } from './web-links.ts';

interface MirroredProps {
  readonly summary: PackageSummary;
  readonly stored: MirroredPackage;
  readonly heldBack: readonly HeldBack[];
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
  const summary = (await mirrored?.read(request.nowMs))?.get(name);
  if (summary === undefined || mirror === undefined) return undefined;
  const [stored, packages, heldBack = []] = await Promise.all([
    readMirroredPackage(mirror, name),
    catalogue.read(request.nowMs),
    heldBackOf(services, name, request.nowMs),
  ]);
  return {
    title: name,
    section: 'packages',
    content: <Mirrored {...{ summary, stored, heldBack, request }} dependents={packages.dependentsOf(name)} />,
  };
}

const mostRows = 100;

function Mirrored({ summary, stored, heldBack, dependents, request }: MirroredProps): Child {
  const { name, description, type, abandoned } = summary;
  return (
    <>
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
      <div class="package">
        <InstallPanel requirement={name} origin={request.origin} makesTokens={request.may('createToken')} />
        <div class="readme stack">
          <HeldBackList heldBack={heldBack} />
          <section class="stack-tight">
            <h2>Versions kept here</h2>
            <Kept stored={stored} nowMs={request.nowMs} />
            <p>
              <A to={`/mirror/${name}`}>What the mirror stores of it</A>
            </p>
          </section>
        </div>
        <aside>
          <MirroredFacts {...{ summary, stored, dependents }} />
        </aside>
      </div>
    </>
  );
}

function Kept({
  stored: { kept, unreadable },
  nowMs,
}: Pick<MirroredProps, 'stored'> & { readonly nowMs: number }): Child {
  if (kept.length === 0 && unreadable === 0)
    return (
      <EmptyState icon="archive" title="No archive yet">
        The registry stores an archive when the first client installs it.
      </EmptyState>
    );
  return (
    <>
      {unreadable === 0 ? null : (
        <Notice kind="warn">
          {counted(unreadable, 'record')} of this package cannot be read. <code>libretto mirror verify</code> names
          them.
        </Notice>
      )}
      <p class="soft small">Clients get these archives unchanged, even while the other registry is down.</p>
      <Table caption="Versions kept here" columns={columnsOf(nowMs)} rows={kept.slice(0, mostRows)} />
      {kept.length > mostRows ? <p class="soft small">and {kept.length - mostRows} more</p> : null}
    </>
  );
}

function columnsOf(nowMs: number): readonly Column<KeptVersion>[] {
  return [
    { label: 'Version', cell: ({ version }) => <strong>{version}</strong> },
    { label: 'Stored', cell: ({ fetched_at: at }) => <Time at={at} nowMs={nowMs} /> },
    { label: 'Size', isNumber: true, cell: ({ size }) => shownBytes(size) },
    { label: 'SHA-1', cell: ({ shasum }) => <code title={shasum}>{shasum.slice(0, 12)}</code> },
  ];
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
              <Outside to={to}>{to}</Outside>
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
