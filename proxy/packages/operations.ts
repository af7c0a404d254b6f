// What can be done with published packages: the operations that API, commands and console call.

import { z } from 'zod';
import { viewOf, type Caller } from '../auth/caller.ts';
import { operation, type Call } from '../registry/operation.ts';
import { pageOf, pageQuery, paginate } from '../registry/page.ts';
import type { Actor } from '../state/audit.ts';
import { describePackage, namedPackage, readUses, type Asking, type PackageParts } from './describe-package.ts';
import {
  packageSchema,
  packageSummary,
  showPackage,
  showSummary,
  statisticsSchema,
  withdrawalSchema,
  type PackageBodyParts,
} from './package-schema.ts';
import { showStatistics } from './package-statistics.ts';
import type { Withdrawals } from './withdrawals.ts';
import type { View } from '../core/views/view.ts';
import type { Catalogue } from './catalogue.ts';
import type { Downloads } from './downloads.ts';
import type { PackageSummary } from './package-summary.ts';
import { searchPackages, sortKeyOf, type PackageSearch, type PackageSort } from './search-packages.ts';
import { countVisible, readCounts } from './visible-counts.ts';

interface ListedPackage {
  readonly summary: PackageSummary;
  readonly downloads: number;
  /** the key of its place in the list */
  readonly key: string;
}

interface ListParts {
  readonly catalogue: Catalogue;
  readonly downloads: Downloads;
}

/** True if a list sorted so begins with the highest key. */
function isDescending(sort: PackageSort): boolean {
  return sort !== 'name';
}

/** `view`: the caller's; undefined: all. `nowMs`: epoch milliseconds. */
async function findPackages(
  { catalogue, downloads }: ListParts,
  { sort, ...search }: PackageSearch & { readonly sort: PackageSort },
  { view, nowMs }: { readonly view: View | undefined; readonly nowMs: number },
): Promise<readonly ListedPackage[]> {
  const [packages, counts] = await Promise.all([
    catalogue.read(nowMs, view),
    readCounts(downloads, view !== undefined),
  ]);
  const countOf = countVisible(counts, packages, view);
  const listed = searchPackages(packages.all.values(), search).map((summary) => {
    const count = countOf(summary.name);
    return { summary, downloads: count, key: sortKeyOf(summary, sort, count) };
  });
  const sign = isDescending(sort) ? -1 : 1;
  return listed.toSorted((one, other) => (one.key < other.key ? -sign : sign));
}

export interface PackageServices extends PackageParts {
  readonly withdrawalsOf: (actor: Actor) => Withdrawals;
}

interface WithBlocks extends PackageServices {
  /** what the policy blocks of a package at a time */
  readonly blockedVersions: (
    name: PackageBodyParts['dependents'][number],
    nowMs: number,
  ) => Promise<PackageBodyParts['blockOf']>;
}

const name = {
  vendor: z.string().max(200).meta({ description: 'the vendor of the package', example: 'acme' }),
  package: z.string().max(200).meta({ description: 'the package without its vendor', example: 'hello' }),
};
export const packageParams = z.strictObject(name);
export const versionText = z.string().min(1).max(200);
const one = { tag: 'Packages', path: '/api/packages/{vendor}/{package}', params: packageParams } as const;

export const listPackages = operation({
  id: 'listPackages',
  method: 'get',
  path: '/api/packages',
  tag: 'Packages',
  summary: 'Search packages',
  description: 'Sorted by name, by the last publication, or by downloads.',
  query: pageQuery.extend({
    search: z
      .string()
      .max(200)
      .optional()
      .meta({ description: 'words in the name, description or keywords', example: 'http client' }),
    type: z.string().max(100).optional().meta({ description: 'only packages of this type', example: 'library' }),
    vendor: z.string().max(200).optional().meta({ description: 'only packages of this vendor', example: 'acme' }),
    sort: z.enum(['name', 'updated', 'downloads']).default('name').meta({ description: 'the sort order' }),
  }),
  answer: pageOf(packageSummary),
  answers: 'a page of packages',
  run: async (services: PackageServices, { search: words, type, vendor, sort, ...query }, call) => {
    const listed = await findPackages(services, { words, type, vendor, sort }, askingOf(call));
    const { data, next_cursor } = paginate(listed, query, ({ key }) => key, isDescending(sort));
    return { data: data.map(({ summary, downloads }) => showSummary(summary, downloads)), next_cursor };
  },
});

export const getPackage = operation({
  ...one,
  id: 'getPackage',
  method: 'get',
  summary: 'Get a package',
  description: 'With all published versions that the caller sees.',
  answer: packageSchema,
  answers: 'the package with its published versions',
  errors: ['NOT_FOUND'],
  run: async (services: WithBlocks, params, call) => {
    const described = await describePackage(services, nameOf(params), askingOf(call));
    const blockOf = await services.blockedVersions(described.summary.name, call.nowMs);
    return showPackage({ ...described, blockOf, origins: call.caller.kind === 'operator' || seesOrigins(call.caller) });
  },
});

export const getStatistics = operation({
  ...one,
  id: 'getStatistics',
  method: 'get',
  path: '/api/packages/{vendor}/{package}/statistics',
  summary: 'Get the downloads and installs of a package',
  description:
    'Downloads are archives that the server sent. Installs are reported by Composer after an install or ' +
    'update, including archives from its own cache.',
  query: z.strictObject({
    days: z.coerce.number().int().min(1).max(3650).default(30).meta({ description: 'the number of days', example: 30 }),
  }),
  answer: statisticsSchema,
  answers: 'the counts by version and day',
  errors: ['NOT_FOUND'],
  run: async (services: PackageServices, { days, ...params }, call) => {
    const { sent, reported } = await readUses(services, nameOf(params), days, askingOf(call));
    return showStatistics(sent, reported);
  },
});

export const withdrawVersion = operation({
  ...one,
  id: 'withdrawVersion',
  form: '/packages/:vendor/:package/withdraw',
  method: 'delete',
  path: '/api/packages/{vendor}/{package}/versions/{version}',
  summary: 'Withdraw a version',
  description:
    'The registry no longer offers the version, even if its source still has it. Existing lock files still ' +
    'install it, unless the policy blocks it. A repeated request changes nothing. `libretto package restore` on the host publishes the ' +
    'version again. Write slashes in a version as %2F.',
  params: z.strictObject({
    ...name,
    version: versionText.meta({ description: 'the version to withdraw', example: '1.2.0' }),
  }),
  answer: withdrawalSchema,
  answers: 'the withdrawn version',
  awaitsBuilder: true,
  errors: ['NOT_FOUND', 'BUILD_BUSY'],
  run: async ({ withdrawalsOf }: Pick<PackageServices, 'withdrawalsOf'>, { version, ...params }, { actor }) =>
    withdrawalsOf(actor).withdraw(nameOf(params), version),
});

export const packageOperations = [listPackages, getPackage, getStatistics, withdrawVersion];

/** Throws NOT_FOUND for what is no name. */
export function nameOf({ vendor, package: project }: z.output<typeof packageParams>) {
  return namedPackage(`${vendor}/${project}`);
}

function askingOf({ caller, nowMs }: Call): Asking {
  return { view: caller.kind === 'operator' ? undefined : viewOf(caller), nowMs };
}

/** People and write tokens that see all packages see sources too, and versions that were left out. */
function seesOrigins(caller: Caller): boolean {
  if (viewOf(caller) !== undefined) return false;
  return caller.kind === 'user' || (caller.kind === 'token' && caller.token.kind === 'write');
}
