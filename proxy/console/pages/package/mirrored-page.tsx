// The page of a package of another registry: what this server knows of it without asking that registry.

import type { Child } from 'hono/jsx';
import { malwareAmong } from '../../../usage/read-exposures.ts';
import type { OfferedRelease, WithheldVersions } from '../../../mirror/catalogue/cached-summary.ts';
import { readMirroredPackage, type MirroredPackage } from '../../../mirror/mirrored-package.ts';
import type { PackageSummary } from '../../../packages/package-summary.ts';
import type { PackageText } from '../../../packages/package-texts.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { Badge } from '../../components/badge.tsx';
import { PageHead, A } from '../../components/place.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { Fact } from '../../components/fact.tsx';
import type { PackageStanding, VersionStanding } from '../../../policy/admin/package-standing.ts';
import type { Block } from '../../../policy/admin/package-standing.ts';
import { latestStored } from './blocked-releases.tsx';
import { MalwareIn, malwareIn } from './concerns.tsx';
import { HeldBackList, heldBackOf } from './held-back.tsx';
import { isMalware, MirroredVersions, shownVersions, type ShownVersion } from './mirrored-versions.tsx';
import { ExternalLink } from './facts-panel.tsx';
import { readArchivedReadme } from './archived-versions.ts';
import { InstallPanel } from './install-panel.tsx';
import { packagePath, packageView, type PackagePageServices } from './open-package.ts';
import { WholeText } from './overview.tsx';
import { BlockBadge } from './version-columns.tsx';
import { webAddress } from './web-links.ts';

interface MirroredProps {
  readonly summary: PackageSummary;
  readonly block: WholeBlock;
  /** a version that a client can install now; undefined: all are malware, or refused */
  readonly exact: string | undefined;
  readonly stored: MirroredPackage;
  readonly versions: readonly ShownVersion[];
  readonly malware: readonly VersionStanding[] | undefined;
  readonly heldBack: readonly WithheldVersions[];
  /** the published packages that require it */
  readonly dependents: readonly PackageName[];
  /** of the newest stored version that the policy does not block; undefined: it has none */
  readonly readme: PackageText | undefined;
  readonly request: SignedInRequest;
}

/** Of a package of which rules refuse every version; undefined: clients get one. */
export type WholeBlock = Pick<Block, 'isHeld'> | undefined;

export function wholeBlock(offered: readonly OfferedRelease[], standing: PackageStanding | undefined): WholeBlock {
  const states = standing?.versions.map(({ state }) => state) ?? [];
  return offered.length > 0 ? undefined : { isHeld: states.length > 0 && states.every((state) => state === 'held') };
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
  const readme = await readArchivedReadme(services, request, name, latestStored(stored.kept, standing));
  const offered = mirrored?.offered(name) ?? [];
  // people see all versions of a package, or none
  const versions = shownVersions(offered, stored, standing);
  const malware = malwareAmong(standing?.versions.filter((one) => one.stored || one.state === 'malware'));
  const dependents = packages.dependentsOf(name);
  const exact = versions.slice(0, offered.length).find((one) => !isMalware(one))?.version;
  const block = wholeBlock(offered, standing);
  const props = { summary, block, exact, stored, versions, malware, heldBack, dependents, readme, request };
  return packageView(name, <Mirrored {...props} />);
}

function MirroredHead({ summary: { name, description, type, abandoned }, malware, block }: MirroredProps): Child {
  return (
    <div class="stack-tight">
      <PageHead
        title={name}
        sentence={description ?? 'This package has no description.'}
        trail={[{ label: 'Packages', to: '/packages' }]}
      />
      <div class="row">
        <MalwareIn malware={malware} />
        <BlockBadge block={block} />
        <Badge icon="layers" label="mirrored" />
        <Badge icon="package" label={type} />
        {abandoned === false ? null : <Badge kind="warn" icon="archive" label="abandoned" />}
      </div>
    </div>
  );
}

function Mirrored(props: MirroredProps): Child {
  const { summary, block, exact, heldBack, readme, versions, request } = props;
  // a range would take the malware, too
  const one = exact === undefined ? undefined : `${summary.name}:${exact}`;
  const requirement = versions.some(isMalware) ? one : summary.name;
  return (
    <>
      <MirroredHead {...props} />
      <div class="package">
        {block === undefined ? (
          <InstallPanel {...{ requirement }} origin={request.origin} makesTokens={request.may('createToken')} />
        ) : null}
        <HeldBackList heldBack={heldBack} />
        <aside>
          <MirroredFacts {...props} />
        </aside>
      </div>
      <section class="stack-tight">
        <h2>Versions</h2>
        <MirroredVersions {...props} name={summary.name} />
        <p class="row">
          {pageLinks(props).map(({ label, to }) => (
            <A to={to}>{label}</A>
          ))}
        </p>
      </section>
      {readme === undefined ? null : (
        <section class="readme stack" aria-label={`README of ${readme.version}`}>
          <h2>README of {readme.version}</h2>
          <WholeText text={readme} />
        </section>
      )}
    </>
  );
}

function pageLinks({ summary: { name }, stored, request }: MirroredProps) {
  const isCompared = request.hasBuilder && stored.kept.length > 1;
  return [
    ...(isCompared ? [{ label: 'Compare stored versions', to: packagePath(name, 'compare') }] : []),
    ...(request.may('explainVersion') ? [{ label: 'Why is a version missing?', to: packagePath(name, 'why') }] : []),
    ...(request.may('getUsage') ? [{ label: 'Who uses it', to: packagePath(name, 'usage') }] : []),
    ...(request.may('listMirrored') ? [{ label: 'What the mirror stores of it', to: `/mirror/${name}` }] : []),
  ];
}

function MirroredFacts({ summary, block, exact, malware, stored, dependents }: MirroredProps): Child {
  const clean = malwareIn({ malware }, summary.latest_version) ? exact : undefined;
  const pages = [webAddress(summary.homepage), webAddress(summary.repository)].flatMap((one) => one ?? []);
  return (
    <dl class="facts">
      <Fact label="Newest version offered">{block === undefined ? (clean ?? summary.latest_version) : 'none'}</Fact>
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
