// One published version: how to install exactly it, what it requires, where it comes from, its checksums.

import { commitLink } from '../../../packages/source-pages.ts';
import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { parseStability } from '../../../../build/contract/stability.ts';
import { requireLine } from '../../../../build/shared/text/install-lines.ts';
import { findVersion, type PublishedVersion } from '../../../packages/published-package.ts';
import type { Block } from '../../../policy/admin/package-standing.ts';
import { Badge } from '../../components/badge.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { PageHead, A } from '../../components/place.tsx';
import { Notice } from '../../components/notice.tsx';
import { formatBytes, Time } from '../../components/values.tsx';
import type { PublishedFrom } from '../../../artifacts/published-from.ts';
import { readPublishedFrom } from '../../../artifacts/read-published-from.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { Fact } from '../../components/fact.tsx';
import { CiRun } from '../ci-run.tsx';
import { fixOf, versionWarnings } from './advised-versions.ts';
import { MalwareBadge, MalwareNotice } from './concerns.tsx';
import { ShortReference, SourceText } from './facts-panel.tsx';
import { Links } from './links.tsx';
import { locateNames, type LocateName } from './name-places.ts';
import {
  sourceOf,
  packagePath,
  packageTrail,
  packageView,
  type OpenPackage,
  type PackagePageServices,
} from './open-package.ts';
import { readUsedBy, UsedBy, type UsedByProps } from './used-by.tsx';
import { versionLinks } from './version-actions.tsx';
import { VersionLink } from './version-link.tsx';

interface VersionProps {
  readonly opened: OpenPackage;
  readonly version: PublishedVersion;
  readonly locate: LocateName;
  /** the CI job that published it with a token of a trusted publisher; undefined: another way */
  readonly run: PublishedFrom | undefined;
  /** what the policy has against it; undefined: nothing */
  readonly block: Block | undefined;
  /** undefined: the visitor may not know it */
  readonly usedBy: UsedByProps | undefined;
  readonly request: SignedInRequest;
}

/** Throws NOT_FOUND for a version that is not published. */
export async function showVersion(
  services: PackagePageServices,
  request: SignedInRequest,
  opened: OpenPackage,
): Promise<PageView> {
  const wanted = request.query.get('version') ?? '';
  const version = findVersion(opened.details.versions, wanted);
  if (version === undefined) throw unknownVersion(opened, wanted);
  const [locate, run, usedBy] = await Promise.all([
    locateNames(services, opened, request),
    readPublishedFrom(services.state, { ...version.entry, name: opened.name }),
    readUsedBy(services, request, opened.name, [version.entry.version]),
  ]);
  return packageView(
    `${opened.name} ${version.entry.version}`,
    <Version {...{ opened, version, locate, run, usedBy, request }} block={opened.blockOf(version)} />,
  );
}

/** No such version is published. */
export function unknownVersion(
  { name, isLimited }: Pick<OpenPackage, 'name' | 'isLimited'>,
  version: string,
): RegistryError {
  return new RegistryError('NOT_FOUND', {
    message:
      `${name} ${version.slice(0, 200)} is not published here.` +
      (isLimited === true ? '' : ' The page “Why” of the package knows the reason.'),
  });
}

function Version({ opened, version, locate, run, block, usedBy, request }: VersionProps): Child {
  const { name, malware = [] } = opened;
  const { entry, record } = version;
  return (
    <>
      <PageHead
        title={`${name} ${entry.version}`}
        sentence={typeof record['description'] === 'string' ? record['description'] : undefined}
        trail={[...packageTrail(name), { label: 'Versions', to: packagePath(name, 'versions') }]}
        actions={
          request.may('withdrawVersion') ? (
            <A to={packagePath(name, 'withdraw', { version: entry.version })} class="button danger" data-dialog>
              Withdraw
            </A>
          ) : undefined
        }
      />
      <Blocked {...{ opened, version, block, request }} />
      <Warnings {...{ opened, version }} />
      <div class="two-columns">
        <section class="stack">
          {block === undefined && malware.every((one) => one.version !== entry.version) ? (
            <CodeBlock label="the line that installs this version" text={requireLine(`${name}:${entry.version}`)} />
          ) : null}
          {usedBy === undefined ? null : <UsedBy {...usedBy} />}
          <Links record={record} locate={locate} />
        </section>
        <aside class="stack">
          <Facts {...{ opened, version, run }} />
          <PageLinks {...{ opened, version, request }} />
        </aside>
      </div>
    </>
  );
}

/** Clients do not get this version, whatever their token sees. */
function Blocked({
  opened: { name },
  version,
  block,
  request,
}: Omit<VersionProps, 'locate' | 'run' | 'usedBy'>): Child {
  if (block === undefined) return null;
  return (
    <Notice kind={block.isHeld ? 'warn' : 'bad'}>
      <p class="breaks">
        The policy {block.isHeld ? 'holds' : 'blocks'} this version: rule <code>{block.rule}</code>, {block.because}.
      </p>
      {request.may('explainPolicy') ? (
        <A to={packagePath(name, 'policy', { version: version.entry.version })}>What each rule says</A>
      ) : null}
    </Notice>
  );
}

/** What advisories and filter lists say about this version. */
function Warnings({
  opened: { name, advisories, details, malware },
  version,
}: Pick<VersionProps, 'opened' | 'version'>): Child {
  const all = versionWarnings(advisories, details.versions);
  const warned = all.filter(({ affected }) => affected.includes(version.entry.version));
  if (warned.length === 0) return <MalwareNotice {...{ malware }} version={version.entry.version} />;
  const fix = fixOf(version, details.versions, all);
  return (
    <Notice kind="bad">
      {warned.map(({ title, severity, constraint, isMalware }) => (
        <p>
          {isMalware ? <MalwareBadge /> : null} <strong class="breaks">{title}</strong> (
          {severity === undefined ? '' : `${severity}, `}
          {constraint})
        </p>
      ))}
      {fix === undefined ? null : (
        <p>
          Fixed in <VersionLink {...{ name }} version={fix} />
        </p>
      )}
      <A to={packagePath(name, 'advisories')}>Advisories of this package</A>
    </Notice>
  );
}

function Facts({ opened, version, run }: Pick<VersionProps, 'opened' | 'version' | 'run'> & {}): Child {
  const { entry } = version;
  const location = sourceOf(opened, version);
  return (
    <dl class="facts">
      <Fact label="Stability" value={<Badge icon="tag" label={parseStability(entry.version_normalized)} />} />
      <Fact label="Published" value={<Time at={entry.since} />} />
      <PublishedByCi run={run} />
      {entry.time === null ? null : <Fact label="Released" value={<Time at={entry.time} />} />}
      {location === undefined ? null : <Fact label="From" value={<SourceText text={location} />} />}
      <Fact
        label="Reference"
        value={<ShortReference reference={entry.reference} link={commitLink(version, location)} />}
      />
      <Fact label="Archive">{formatBytes(entry.size)}</Fact>
      <Fact label="SHA-1 of the archive" value={<code>{entry.shasum}</code>} />
    </dl>
  );
}

function PublishedByCi({ run }: Pick<VersionProps, 'run'>): Child {
  if (run === undefined) return null;
  return <Fact label="Published by CI" value={<CiRun run={run} />} />;
}

function PageLinks({
  opened: { name, details },
  version: { entry },
  request,
}: Pick<VersionProps, 'opened' | 'version' | 'request'>): Child {
  const previous = details.versions[details.versions.findIndex((one) => one.entry === entry) + 1]?.entry.version;
  const row = { version: entry.version, kind: 'stable' as const, previous, block: undefined };
  return (
    <div class="stack-tight">
      {versionLinks(name, row, request).map(({ label, to }) => (
        <div>
          <A to={to}>{label}</A>
        </div>
      ))}
    </div>
  );
}
