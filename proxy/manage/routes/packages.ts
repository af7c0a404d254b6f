// Published packages over HTTP: search, contents, texts, statistics, and the withdrawal of a version.

import type { z } from '@hono/zod-openapi';
import { RegistryError } from '../../../build/contract/errors.ts';
import { parsePackageName, type PackageName } from '../../../build/contract/name.ts';
import type { TextKind } from '../../../build/contract/package-texts.ts';
import { viewOf } from '../../auth/caller.ts';
import { dependentsOf, type Catalogue } from '../../packages/catalogue.ts';
import type { Downloads } from '../../packages/downloads.ts';
import { readPackageDetails } from '../../packages/package-details.ts';
import { readPublishedPackage } from '../../packages/published-package.ts';
import { readStatistics, showStatistics, statisticsOf } from '../../packages/package-statistics.ts';
import type { PackageTextReader } from '../../packages/package-texts.ts';
import type { PublishedFiles } from '../../tree/published-files.ts';
import { searchPackages, sortKeyOf } from '../../packages/search-packages.ts';
import { countVisible, readCounts } from '../../packages/visible-counts.ts';
import type { Withdrawals } from '../../packages/withdrawals.ts';
import type { Actor } from '../../state/audit.ts';
import { filterOf, type View } from '../../views/view.ts';
import { actor, type Api, type ApiContext } from '../frame/api.ts';
import { awaitBuilder } from '../../protocol/await-builder.ts';
import { page } from '../frame/page.ts';
import { showPackage, showSummary } from '../schemas/package.ts';
import {
  type packageQuery,
  type params,
  listPackages,
  getPackage,
  getReadme,
  getChangelog,
  getStatistics,
  withdrawVersion,
} from './package-operations.ts';

export interface PackageServices {
  readonly catalogue: Catalogue;
  readonly packageTexts: PackageTextReader;
  /** archives that were sent */
  readonly downloads: Downloads;
  /** installs that clients reported */
  readonly installs: Downloads;
  readonly withdrawalsOf: (actor: Actor) => Withdrawals;
  /** files of the served tree */
  readonly published: PublishedFiles;
}

/** A browser that opens the answer itself runs no code of the text. */
const inert = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox" };
const dayMs = 86_400_000;

export function registerPackages(api: Api, services: PackageServices): void {
  api.openapi(listPackages, async (context) =>
    context.json(await listVisible(services, context.env, context.req.valid('query')), 200),
  );
  api.openapi(getPackage, async (context) =>
    context.json(await describePackage(services, context.env, nameOf(context.req.valid('param'))), 200),
  );
  api.openapi(getReadme, async (context) => {
    const wanted = { ...context.req.valid('param'), ...context.req.valid('query') };
    return context.json(await readText(services, 'readme', wanted, viewOf(context.env.caller)), 200, inert);
  });
  api.openapi(getChangelog, async (context) => {
    const wanted = { ...context.req.valid('param'), ...context.req.valid('query') };
    return context.json(await readText(services, 'changelog', wanted, viewOf(context.env.caller)), 200, inert);
  });
  api.openapi(getStatistics, async (context) => {
    const { days } = context.req.valid('query');
    return context.json(await countUses(services, context.env, nameOf(context.req.valid('param')), days), 200);
  });
  api.openapi(withdrawVersion, async (context) => {
    const { version: wanted, ...named } = context.req.valid('param');
    const found = nameOf(named);
    awaitBuilder(context.env.exchange);
    return context.json({ ...(await services.withdrawalsOf(actor(context)).withdraw(found, wanted)) }, 200);
  });
}

type Asked = Pick<ApiContext['env'], 'exchange' | 'caller'>;

async function listVisible(
  { catalogue, downloads }: PackageServices,
  { exchange, caller }: Asked,
  { search, type, vendor, sort, ...wanted }: z.infer<typeof packageQuery>,
) {
  const view = viewOf(caller);
  const [packages, counts] = await Promise.all([
    catalogue.read(exchange.nowMs, view),
    readCounts(downloads, view !== undefined),
  ]);
  const countOf = countVisible(counts, packages, view);
  const keyed = searchPackages(packages.all.values(), { words: search, type, vendor }).map((summary) => ({
    summary,
    key: sortKeyOf(summary, sort, countOf(summary.name)),
  }));
  const sign = sort === 'name' ? 1 : -1;
  const { data, next_cursor } = page(
    keyed.toSorted((one, other) => (one.key < other.key ? -sign : sign)),
    wanted,
    ({ key }) => key,
    sort !== 'name',
  );
  return { data: data.map(({ summary }) => showSummary(summary, countOf(summary.name))), next_cursor };
}

async function describePackage(
  { catalogue, downloads, published }: PackageServices,
  { exchange, caller }: Asked,
  name: PackageName,
) {
  const view = viewOf(caller);
  const [packages, details, counts] = await Promise.all([
    catalogue.read(exchange.nowMs, view),
    readPackageDetails(published, name, view),
    readCounts(downloads, view !== undefined, name),
  ]);
  const summary = packages.all.get(name);
  if (summary === undefined || details === undefined) throw unknown(name);
  return showPackage({
    summary,
    details,
    downloads: countVisible(counts, packages, view)(name),
    dependents: dependentsOf(packages, name),
    origins: caller.kind === 'user' || (caller.kind === 'token' && caller.token.kind === 'write' && view === undefined),
  });
}

async function countUses(
  { catalogue, downloads, installs, published }: PackageServices,
  { exchange: { nowMs }, caller }: Asked,
  name: PackageName,
  days: number,
) {
  const since = new Date(nowMs - (days - 1) * dayMs).toISOString().slice(0, 10);
  const view = viewOf(caller);
  const [packages, sent, reported] = await Promise.all([
    catalogue.read(nowMs, view),
    readStatistics(downloads, name, since),
    readStatistics(installs, name, since),
  ]);
  const isLimited = typeof filterOf(view, name) === 'function';
  const isUnknown = !packages.all.has(name) && (view !== undefined || (sent.total === 0 && reported.total === 0));
  // the catalogue leaves out damaged packages; reading the package rejects with TREE_DAMAGED
  if (isLimited || isUnknown) await readPublishedPackage(published, name, view);
  if (isUnknown) throw unknown(name);
  if (!isLimited) return showStatistics(sent, reported);
  const [visibleSent, visibleReported] = await Promise.all(
    [downloads, installs].map(async (counts) =>
      countVisible(await readCounts(counts, true, name), packages, view)(name),
    ),
  );
  const labels = new Set(packages.labelsOf(name));
  return showStatistics(
    statisticsOf(sent, labels, visibleSent ?? 0),
    statisticsOf(reported, labels, visibleReported ?? 0),
  );
}

async function readText(
  { packageTexts }: PackageServices,
  kind: TextKind,
  { version, ...named }: z.infer<typeof params> & { readonly version?: string | undefined },
  view: View | undefined,
) {
  const found = nameOf(named);
  const text = await packageTexts.read(found, kind, version, view);
  if (text === undefined)
    throw new RegistryError('NOT_FOUND', {
      message:
        `There is no ${kind === 'readme' ? 'README' : 'CHANGELOG'} of ` +
        `${found}${version === undefined ? '' : ` ${version}`} here.`,
    });
  return text;
}

function nameOf({ vendor, package: project }: z.infer<typeof params>): PackageName {
  const text = `${vendor}/${project}`.toLowerCase();
  const found = parsePackageName(text);
  if (found === undefined) throw unknown(text);
  return found;
}

function unknown(text: string): RegistryError {
  return new RegistryError('NOT_FOUND', { message: `There is no package ${text.slice(0, 200)} here.` });
}
