// The pages about one package, by their addresses.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import type { Permission } from '../../../auth/policy.ts';
import { PageHead } from '../../components/page-head.tsx';
import { A } from '../../components/place.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { showAdvisories } from './advisories-page.tsx';
import { showChangelog } from './changelog-page.tsx';
import { showDependents } from './dependents-page.tsx';
import { showDownloads } from './downloads-page.tsx';
import { showMirroredWhy } from './held-back.tsx';
import { showMirrored } from './mirrored-page.tsx';
import { nameIn, openPackage, packagePath, type OpenPackage } from './open-package.ts';
import { showOverview } from './overview-page.tsx';
import type { PackagePageServices } from './package-services.ts';
import { showRequires } from './requires-page.tsx';
import { restoreForm } from './restore-page.tsx';
import { showVersion } from './version-page.tsx';
import { showVersions } from './versions-page.tsx';
import { showWhy } from './why-page.tsx';
import { withdrawForm } from './withdraw-page.tsx';

type ShowTab = (services: PackagePageServices, request: SignedInRequest, opened: OpenPackage) => Promise<PageView>;

const tabs: readonly (readonly [page: string, operation: Permission, show: ShowTab])[] = [
  ['/version', 'getPackage', showVersion],
  ['/requires', 'getPackage', showRequires],
  ['/dependents', 'getPackage', showDependents],
  ['/downloads', 'getStatistics', showDownloads],
  ['/changelog', 'getChangelog', showChangelog],
  ['/advisories', 'getPackage', showAdvisories],
];

const root = '/packages/:vendor/:package';

export function registerOnePackage(pages: Pages, services: PackagePageServices): void {
  const open = async (request: SignedInRequest): Promise<OpenPackage> => {
    const name = nameIn(request);
    const opened = await openPackage(services, name, request.nowMs);
    if (opened === undefined) throw unknown(name);
    return opened;
  };
  for (const [page, operation, show] of tabs)
    pages.page({
      path: `${root}${page}`,
      operation,
      show: async (request) => show(services, request, await open(request)),
    });
  pages.page({
    path: `${root}/versions`,
    operation: 'getPackage',
    notices: {
      withdrawn: 'The version is withdrawn. Composer no longer finds it.',
      restored: 'The version is published again.',
    },
    show: async (request) => showVersions(services, request, await open(request)),
  });
  pages.page({
    path: `${root}/why`,
    operation: 'explainVersion',
    notices: { problems: 'The version may be published again. The build had problems with this package: see below.' },
    show: async (request) => {
      const name = nameIn(request);
      const opened = await openPackage(services, name, request.nowMs);
      const mirrored = opened === undefined ? await showMirroredWhy(services, request, name) : undefined;
      return mirrored ?? showWhy(services, request, name, opened);
    },
  });
  pages.form(withdrawForm(services));
  pages.form(restoreForm(services));
  pages.page({ path: root, operation: 'getPackage', show: (request) => showPackage(services, request) });
}

async function showPackage(services: PackagePageServices, request: SignedInRequest): Promise<PageView> {
  const name = nameIn(request);
  const opened = await openPackage(services, name, request.nowMs);
  if (opened !== undefined) return showOverview(services, request, opened);
  const mirrored = await showMirrored(services, request, name);
  return mirrored ?? { title: name, section: 'packages', status: 404, content: <Unknown name={name} /> };
}

function Unknown({ name }: { readonly name: string }): Child {
  return (
    <>
      <PageHead
        title={name}
        sentence="Nothing is published here under this name."
        trail={[{ label: 'Packages', to: '/packages' }]}
      />
      <p>
        <A to={packagePath(name, 'why')}>Why?</A> The next page shows what the builds know of it.
      </p>
    </>
  );
}

function unknown(name: string): RegistryError {
  return new RegistryError('NOT_FOUND', { message: `There is no package ${name} here.` });
}
