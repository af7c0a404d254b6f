// The comparison of two published versions of a package. `from` and `to` in the address name them; without them the
// newest version is compared with the one before it.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { parsePackageName, type PackageName } from '../../../../build/contract/name.ts';
import type { Inspection } from '../../../inspection/inspection.ts';
import type { Catalogue } from '../../../packages/catalogue.ts';
import type { PageRequest, PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { ComparePage, SingleVersion } from './compare-page.tsx';

export interface ComparePageServices {
  readonly catalogue: Catalogue;
  readonly inspection: () => Promise<Inspection>;
}

export function registerComparePage(pages: Pages, services: ComparePageServices): void {
  pages.page({
    path: '/packages/:vendor/:package/compare',
    operation: 'compareVersions',
    show: (request) => showComparison(services, request),
  });
}

async function showComparison(
  { catalogue, inspection }: ComparePageServices,
  { param, query, nowMs, caller }: PageRequest,
): Promise<PageView> {
  const name = parseName(`${param('vendor')}/${param('package')}`);
  const { labelsOf } = await catalogue.read(nowMs, caller?.view);
  const labels = labelsOf(name);
  const [newest, second] = labels;
  const view = { title: `Compare versions of ${name}`, section: 'packages' as const };
  if (newest === undefined)
    throw new RegistryError('NOT_FOUND', { message: `No version of ${name} is published here.` });
  const to = versionIn(query.get('to')) ?? newest;
  const from = versionIn(query.get('from')) ?? labels[labels.indexOf(to) + 1] ?? second;
  if (from === undefined) return { ...view, content: <SingleVersion {...{ name }} version={newest} /> };
  const { comparison } = await inspection();
  const compared = await comparison.compare(name, from, to);
  return {
    ...view,
    content: <ComparePage {...{ compared, labels, nowMs }} showsAll={query.get('files') === 'all'} />,
  };
}

function parseName(text: string): PackageName {
  const name = parsePackageName(text.toLowerCase());
  if (name === undefined)
    throw new RegistryError('NOT_FOUND', { message: `${text.slice(0, 200)} is not the name of a package.` });
  return name;
}

function versionIn(text: string | null): string | undefined {
  return text === null || text === '' ? undefined : text.slice(0, 200);
}
