// The page of a package of another registry: what this server knows of it without asking that registry.

import type { Child } from 'hono/jsx';
import { malwareAmong } from '../../../usage/read-exposures.ts';
import type { WithheldVersions } from '../../../mirror/catalogue/cached-summary.ts';
import { readMirroredPackage, type MirroredPackage } from '../../../mirror/mirrored-package.ts';
import { latestOf, type PackageSummary } from '../../../packages/package-summary.ts';
import type { PackageText } from '../../../packages/package-texts.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import { Badge } from '../../components/badge.tsx';
import { PageHead, A } from '../../components/place.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { Fact } from '../../components/fact.tsx';
import type { VersionStanding } from '../../../policy/admin/package-standing.ts';
import { MalwareIn } from './concerns.tsx';
import { HeldBackList, heldBackOf } from './held-back.tsx';
import { isMalware, MirroredVersions, shownVersions, type ShownVersion } from './mirrored-versions.tsx';
import { ExternalLink } from './facts-panel.tsx';
import { readArchivedReadme } from './archived-versions.ts';
import { InstallPanel } from './install-panel.tsx';
import { packagePath, packageView, type PackagePageServices } from './open-package.ts';
import { WholeText } from './overview.tsx';
import { webAddress } from './web-links.ts';

interface MirroredProps {
  readonly summary: PackageSummary;
  /** false: rules refuse every version */
  readonly isOffered: boolean;
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
  const refused = standing?.versions.filter((one) => one.refused).map(({ version }) => version) ?? [];
  const clean = stored.kept.filter(({ entry }) => !refused.includes(entry.version));
  const readme = await readArchivedReadme(services, request, name, latestOf(clean));
  const offered = mirrored?.offered(name) ?? [];
  // people see all versions of a package, or none
  const versions = shownVersions(offered, stored, standing);
  const malware = malwareAmong(standing?.versions.filter((one) => one.stored || one.state === 'malware'));
  const dependents = packages.dependentsOf(name);
  const props = { summary, stored, versions, malware, heldBack, dependents, readme, request };
  return packageView(name, <Mirrored {...props} isOffered={offered.length > 0} />);
}

function MirroredHead({ summary: { name, description, type, abandoned }, malware }: MirroredProps): Child {
  return (
    <div class="stack-tight">
      <PageHead
        title={name}
        sentence={description ?? 'This package has no description.'}
        trail={[{ label: 'Packages', to: '/packages' }]}
      />
      <div class="row">
        <MalwareIn malware={malware} />
        <Badge icon="layers" label="mirrored" />
        <Badge icon="package" label={type} />
        {abandoned === false ? null : <Badge kind="warn" icon="archive" label="abandoned" />}
      </div>
    </div>
  );
}

function Mirrored(props: MirroredProps): Child {
  const { summary, isOffered, heldBack, readme, versions, request } = props;
  const clean = versions.filter((one) => !isMalware(one));
  // a range would take the malware, too
  const exact = clean[0] && `${summary.name}:${clean[0].version}`;
  const requirement = clean.length === versions.length ? summary.name : exact;
  return (
    <>
      <MirroredHead {...props} />
      <div class="package">
        {isOffered ? (
          <InstallPanel {...{ requirement }} origin={request.origin} makesTokens={request.may('createToken')} />
        ) : null}
        <div class="readme stack">
          <HeldBackList heldBack={heldBack} />
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
            <section class="stack" aria-label={`README of ${readme.version}`}>
              <h2>README of {readme.version}</h2>
              <WholeText text={readme} />
            </section>
          )}
        </div>
        <aside>
          <MirroredFacts {...props} />
        </aside>
      </div>
    </>
  );
}

function pageLinks({ summary: { name }, stored, request }: MirroredProps) {
  const isCompared = request.hasBuilder && stored.kept.length > 1;
  return [
    ...(isCompared ? [{ label: 'Compare stored versions', to: packagePath(name, 'compare') }] : []),
    ...(request.may('getUsage') ? [{ label: 'Who uses it', to: packagePath(name, 'usage') }] : []),
    ...(request.may('listMirrored') ? [{ label: 'What the mirror stores of it', to: `/mirror/${name}` }] : []),
  ];
}

function MirroredFacts({ summary, isOffered, stored, dependents }: MirroredProps): Child {
  const pages = [webAddress(summary.homepage), webAddress(summary.repository)].flatMap((one) => one ?? []);
  return (
    <dl class="facts">
      <Fact label="Newest version offered">{isOffered ? summary.latest_version : 'none'}</Fact>
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
