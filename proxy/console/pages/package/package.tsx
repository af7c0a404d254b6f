// The pages about one package, by their addresses.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import type { PackageName } from '../../../../build/contract/name.ts';
import type { Permission } from '../../../auth/permissions.ts';
import { PageHead, A } from '../../components/place.tsx';
import type { PageOutcome, PageView, SignedInRequest, FormPage } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import type { Pages } from '../../frame/pages.ts';
import { findVersion } from '../../../packages/published-package.ts';
import { StillReading, type Reading } from '../../components/still-reading.tsx';
import { showAdvisories } from './advisories-page.tsx';
import { showChangelog, showRequires } from './changelog-page.tsx';
import { showDependents } from './dependents-page.tsx';
import { showDownloads } from './downloads-page.tsx';
import {
  explainPackage,
  nameIn,
  openPackage,
  packagePath,
  packageView,
  type OpenPackage,
  type PackagePageServices,
} from './open-package.ts';
import { showFiles, showRawFile } from './files-page.tsx';
import { showMirroredWhy } from './held-back.tsx';
import { showMirrored } from './mirrored-page.tsx';
import { showOverview } from './overview.tsx';
import { tellForm } from './tell-page.tsx';
import { showUsage } from './usage-page.tsx';
import { showVersion } from './version-page.tsx';
import { showVersions } from './versions-page.tsx';
import { showWhy } from './why-page.tsx';
import { versionInQuery, withdrawForm, requireVersion } from './withdraw-page.tsx';
import { actorOf } from '../../../auth/caller.ts';
import { Form as FormView } from '../../components/form.tsx';
import type { FormState } from '../../request/form-fields.ts';

// Asks before a version that a person withdrew is published again.

function restoreForm(services: PackagePageServices): FormPage {
  return {
    path: '/packages/:vendor/:package/restore',
    operation: 'restoreVersion',
    awaitsBuilder: true,
    show: async (request, form) => {
      const name = nameIn(request);
      const version = requireVersion(request, name);
      const known = (await explainPackage(services, name, version))?.versions ?? [];
      if (!known.some(({ state }) => state === 'withheld'))
        throw new RegistryError('NOT_FOUND', { message: `${name} ${version} was not withdrawn by a person.` });
      return packageView(
        `Restore ${name} ${version}`,
        <Restore {...{ name, version, form }} asksPassword={request.asksPassword} />,
      );
    },
    submit: async (request) => {
      const name = nameIn(request);
      const version = requireVersion(request, name);
      const { problems } = await services.restorationsOf(actorOf(request.caller)).restore(name, version);
      return problems.length === 0
        ? { to: packagePath(name, 'versions'), notice: 'restored' }
        : { to: packagePath(name, 'why', { version }), notice: 'problems' };
    },
  };
}

interface RestoreProps {
  readonly name: string;
  readonly version: string;
  readonly form: FormState;
  readonly asksPassword: boolean;
}

function Restore({ name, version, form, asksPassword }: RestoreProps): Child {
  return (
    <>
      <PageHead
        title={`Restore ${name} ${version}?`}
        sentence="A build reads its source, and publishes the version as the source has it now."
      />
      <FormView
        state={form}
        asksPassword={asksPassword}
        submit={`Restore ${version}`}
        cancel={packagePath(name, 'versions')}
      />
    </>
  );
}

type ShowTab = (services: PackagePageServices, request: SignedInRequest, opened: OpenPackage) => Promise<PageOutcome>;
type ShowMirrored = (services: PackagePageServices, request: SignedInRequest) => Promise<PageOutcome>;

const tabs: readonly (readonly [page: string, operation: Permission, show: ShowTab, ofMirrored?: ShowMirrored])[] = [
  ['/version', 'getPackage', showVersion],
  ['/files', 'getPackage', showFiles, showFiles],
  ['/raw', 'getPackage', showRawFile, showRawFile],
  ['/requires', 'getPackage', showRequires],
  ['/dependents', 'getPackage', showDependents],
  ['/downloads', 'getStatistics', showDownloads],
  ['/changelog', 'getChangelog', showChangelog],
  ['/advisories', 'getPackage', showAdvisories],
];

const root = '/packages/:vendor/:package';

export function registerOnePackage(pages: Pages, services: PackagePageServices): void {
  const show = async (
    request: SignedInRequest,
    showTab: ShowTab,
    ofMirrored: ShowMirrored = () => mirroredPage(services, request, nameIn(request)),
  ): Promise<PageOutcome> => {
    const name = nameIn(request);
    const opened = await openPackage(services, name, request);
    const isMissing = opened === undefined || !hasVersion(opened, request);
    const former = isMissing ? await formerPage(services, request, name) : undefined;
    if (former !== undefined) return former;
    return opened === undefined ? ofMirrored(services, request) : showTab(services, request, opened);
  };
  for (const [page, operation, ...shows] of tabs)
    pages.page({ path: `${root}${page}`, operation, show: (request) => show(request, ...shows) });
  pages.page({
    path: `${root}/versions`,
    operation: 'getPackage',
    notices: {
      withdrawn: 'The version is withdrawn. Composer no longer finds it.',
      restored: 'The version is published again.',
    },
    show: (request) => show(request, showVersions),
  });
  pages.page({
    path: `${root}/why`,
    operation: 'explainVersion',
    notices: { problems: 'The version may be published again. The build had problems with this package: see below.' },
    show: async (request) => {
      const name = nameIn(request);
      const opened = await openPackage(services, name, request);
      const mirrored = opened === undefined ? await showMirroredWhy(services, request, name) : undefined;
      return mirrored ?? showWhy(services, request, name, opened);
    },
  });
  pages.page({ path: `${root}/usage`, operation: 'getUsage', show: (request) => showUsage(services, request) });
  for (const form of [withdrawForm, restoreForm, tellForm]) pages.form(form(services));
  pages.page({ path: root, operation: 'getPackage', show: (request) => showPackage(services, request) });
}

/** True, too, where the address names none. */
function hasVersion({ details }: OpenPackage, request: SignedInRequest): boolean {
  const version = versionInQuery(request);
  return version === '' || findVersion(details.versions, version) !== undefined;
}

/** The one page of a package of another registry, in place of each tab. Throws NOT_FOUND. */
async function mirroredPage(
  { mirrored }: PackagePageServices,
  { nowMs, caller }: SignedInRequest,
  name: PackageName,
): Promise<PageOutcome> {
  if ((await mirrored?.read(nowMs, caller.view))?.get(name) === undefined) throw unknown(name);
  return { to: packagePath(name) };
}

/** The page Why, which knows what became of versions: links to them stay good. undefined: there never was one. */
async function formerPage(
  services: PackagePageServices,
  request: SignedInRequest,
  name: PackageName,
): Promise<PageOutcome | undefined> {
  if (!request.may('explainVersion')) return undefined;
  const version = versionInQuery(request);
  const known = await explainPackage(services, name, version === '' ? undefined : version);
  if (known === undefined || known.versions.length === 0) return undefined;
  return { to: packagePath(name, 'why', version === '' ? {} : { version }) };
}

async function showPackage(services: PackagePageServices, request: SignedInRequest): Promise<PageOutcome> {
  const name = nameIn(request);
  const opened = await openPackage(services, name, request);
  if (opened !== undefined) return showOverview(services, request, opened);
  const mirrored = await showMirrored(services, request, name);
  const former = mirrored ?? (await formerPage(services, request, name));
  const reading = await services.mirrored?.firstReading();
  return former ?? { ...unknownView(name, request.may('explainVersion'), reading), status: 404 };
}

function unknownView(title: string, asksWhy: boolean, reading: Reading): PageView {
  const sentence = 'Nothing is published here under this name.';
  return headedPage(
    { section: 'packages', title, sentence, trail: [{ label: 'Packages', to: '/packages' }] },
    <>
      <StillReading reading={reading} />
      {asksWhy ? (
        <p>
          <A to={packagePath(title, 'why')}>Why?</A> The next page shows what the builds know of it.
        </p>
      ) : null}
    </>,
  );
}

function unknown(name: string): RegistryError {
  return new RegistryError('NOT_FOUND', { message: `There is no package ${name} here.` });
}
