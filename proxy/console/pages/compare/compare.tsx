// The comparison of two versions of a package whose archives are stored here. `from` and `to` in the address name them; without them the
// newest version is compared with the one before it. `file` names one file of both.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { compareDependencies } from '../../../inspection/compare-dependencies.ts';
import { findVersion, type PublishedVersion } from '../../../packages/published-package.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { archivedVersions } from '../package/archived-versions.ts';
import { malwareByPackage } from '../../../usage/read-exposures.ts';
import { nameIn, type PackagePageServices } from '../package/open-package.ts';
import { ComparedFile, ComparePage, SingleVersion } from './compare-page.tsx';

export type ComparePageServices = Pick<
  PackagePageServices,
  'published' | 'mirrored' | 'mirror' | 'inspection' | 'policyAdmin'
>;

export function registerComparePage(pages: Pages, services: ComparePageServices): void {
  pages.page({
    path: '/packages/:vendor/:package/compare',
    operation: 'compareVersions',
    show: (request) => showComparison(services, request),
  });
}

async function showComparison(services: ComparePageServices, request: SignedInRequest): Promise<PageView> {
  const { query, nowMs } = request;
  const name = nameIn(request);
  const versions = await archivedVersions(services, name, request);
  const [newest, second] = versions;
  const view = { title: `Compare versions of ${name}`, section: 'packages' as const };
  if (newest === undefined) throw new RegistryError('NOT_FOUND', { message: `No archive of ${name} is stored here.` });
  const versionIn = (field: string): PublishedVersion | undefined => {
    const wanted = query.get(field) ?? '';
    const found = findVersion(versions, wanted);
    if (wanted === '' || found !== undefined) return found;
    throw new RegistryError('NOT_FOUND', {
      message: `${name} ${wanted.slice(0, 200)} is not published here, and no archive of it is stored.`,
    });
  };
  const after = versionIn('to') ?? newest;
  const before = versionIn('from') ?? versions[versions.indexOf(after) + 1] ?? second;
  if (before === undefined) return { ...view, content: <SingleVersion {...{ name }} version={newest.entry.version} /> };
  const contents = (await services.inspection()).contents(request);
  const pair = { name, before: before.entry, after: after.entry };
  const file = query.get('file') ?? '';
  const showsAll = query.get('files') === 'all';
  const difference = await contents.compare(before.entry, after.entry, file === '' ? 'composer.json' : file);
  if (file !== '') {
    if (difference !== undefined) return { ...view, content: <ComparedFile {...{ pair, file, difference }} /> };
    throw new RegistryError('NOT_FOUND', { message: `Neither version of ${name} has this file.` });
  }
  const files = await contents.compareFiles(before.entry, after.entry, showsAll);
  const dependencies = compareDependencies(before.record, after.record);
  const malware = (await malwareByPackage(services, request.caller.view)).get(name);
  const labels = versions.map(({ entry }) => entry.version);
  const shown = { pair, dependencies, difference, files, labels, malware, showsAll, nowMs };
  return { ...view, content: <ComparePage {...shown} /> };
}
