// Published packages over HTTP: what there is, what is in it, who uses it, and withdrawing a version.

import { z } from '@hono/zod-openapi';
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
import { actor, operation, type Api } from '../frame/api.ts';
import { awaitBuilder } from '../frame/await-builder.ts';
import { page, pageOf, pageQuery } from '../frame/page.ts';
import {
  packageSchema,
  packageSummary,
  packageText,
  showPackage,
  showSummary,
  statisticsSchema,
  withdrawalSchema,
} from '../schemas/package.ts';

export interface PackageServices {
  readonly catalogue: Catalogue;
  readonly packageTexts: PackageTextReader;
  /** archives that were sent */
  readonly downloads: Downloads;
  /** installs that clients told of */
  readonly installs: Downloads;
  readonly withdrawalsOf: (actor: Actor) => Withdrawals;
  /** of the tree that is served */
  readonly published: PublishedFiles;
}

const tags = ['Packages'];
const name = {
  vendor: z.string().max(200).openapi({ description: 'the vendor of the package', example: 'acme' }),
  package: z.string().max(200).openapi({ description: 'the package without its vendor', example: 'hello' }),
};
const params = z.strictObject(name);
const version = z.string().min(1).max(200);

const listPackages = operation({
  operationId: 'listPackages',
  method: 'get',
  path: '/api/packages',
  tags,
  summary: 'Search packages',
  description: 'Sorted by name, by the last publication, or by downloads.',
  request: {
    query: pageQuery.extend({
      search: z
        .string()
        .max(200)
        .optional()
        .openapi({ description: 'words in the name, description or keywords', example: 'http client' }),
      type: z.string().max(100).optional().openapi({ description: 'only packages of this type', example: 'library' }),
      vendor: z.string().max(200).optional().openapi({ description: 'only packages of this vendor', example: 'acme' }),
      sort: z.enum(['name', 'updated', 'downloads']).default('name').openapi({ description: 'the sort order' }),
    }),
  },
  responses: {
    200: { description: 'a page of packages', content: { 'application/json': { schema: pageOf(packageSummary) } } },
  },
});

const getPackage = operation({
  operationId: 'getPackage',
  method: 'get',
  path: '/api/packages/{vendor}/{package}',
  tags,
  summary: 'Get a package',
  description: 'With all published versions that the caller sees.',
  request: { params },
  responses: {
    200: {
      description: 'the package with its published versions',
      content: { 'application/json': { schema: packageSchema } },
    },
  },
  errors: ['NOT_FOUND'],
});

const textRoute = <const Id extends 'getReadme' | 'getChangelog'>(operationId: Id, kind: TextKind, what: string) =>
  operation({
    operationId,
    method: 'get',
    path: `/api/packages/{vendor}/{package}/${kind}`,
    tags,
    summary: `Get the ${what} of a version`,
    description: `The file of that name in the source of the version. The answer is 404 if the version has none.`,
    request: {
      params,
      query: z.strictObject({
        version: version.optional().openapi({ description: 'the version; default: the latest', example: '1.2.0' }),
      }),
    },
    responses: {
      200: {
        description: `the ${what} as original text and as safe HTML`,
        content: { 'application/json': { schema: packageText } },
      },
    },
    errors: ['NOT_FOUND'],
  });

const getReadme = textRoute('getReadme', 'readme', 'README');
const getChangelog = textRoute('getChangelog', 'changelog', 'CHANGELOG');

const getStatistics = operation({
  operationId: 'getStatistics',
  method: 'get',
  path: '/api/packages/{vendor}/{package}/statistics',
  tags,
  summary: 'Get the downloads and installs of a package',
  description:
    'Downloads are archives that the server sent. Installs are reported by Composer after an install or ' +
    'update, including archives from its own cache.',
  request: {
    params,
    query: z.strictObject({
      days: z.coerce
        .number()
        .int()
        .min(1)
        .max(3650)
        .default(30)
        .openapi({ description: 'the number of days', example: 30 }),
    }),
  },
  responses: {
    200: {
      description: 'the counts by version and day',
      content: { 'application/json': { schema: statisticsSchema } },
    },
  },
  errors: ['NOT_FOUND'],
});

const withdrawVersion = operation({
  operationId: 'withdrawVersion',
  method: 'delete',
  path: '/api/packages/{vendor}/{package}/versions/{version}',
  tags,
  summary: 'Withdraw a version',
  description:
    'The registry no longer offers the version, even if its source still has it. Existing lock files still ' +
    'install it. A repeated request changes nothing. `libretto package restore` on the host publishes the ' +
    'version again. Write slashes in a version as %2F.',
  request: {
    params: z.strictObject({
      ...name,
      version: version.openapi({ description: 'the version to withdraw', example: '1.2.0' }),
    }),
  },
  responses: {
    200: { description: 'the withdrawn version', content: { 'application/json': { schema: withdrawalSchema } } },
  },
  errors: ['NOT_FOUND', 'BUILD_BUSY'],
});

/** Whoever opens the answer itself sees text. */
const inert = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox" };
const dayMs = 86_400_000;

export function registerPackages(api: Api, services: PackageServices): void {
  const { catalogue, downloads, installs, withdrawalsOf, published } = services;
  api.openapi(listPackages, async (context) => {
    const { search, type, vendor, sort, ...wanted } = context.req.valid('query');
    const view = viewOf(context.env.caller);
    const [packages, counts] = await Promise.all([
      catalogue.read(context.env.exchange.nowMs, view),
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
    return context.json(
      { data: data.map(({ summary }) => showSummary(summary, countOf(summary.name))), next_cursor },
      200,
    );
  });
  api.openapi(getPackage, async (context) => {
    const found = nameOf(context.req.valid('param'));
    const { caller } = context.env;
    const view = viewOf(caller);
    const [packages, details, counts] = await Promise.all([
      catalogue.read(context.env.exchange.nowMs, view),
      readPackageDetails(published, found, view),
      readCounts(downloads, view !== undefined, found),
    ]);
    const summary = packages.all.get(found);
    if (summary === undefined || details === undefined) throw unknown(found);
    const origins =
      caller.kind === 'user' || (caller.kind === 'token' && caller.token.kind === 'write' && view === undefined);
    return context.json(
      showPackage({
        summary,
        details,
        downloads: countVisible(counts, packages, view)(found),
        dependents: dependentsOf(packages, found),
        origins,
      }),
      200,
    );
  });
  api.openapi(getReadme, async (context) =>
    context.json(
      await readText(
        services,
        'readme',
        context.req.valid('param'),
        context.req.valid('query').version,
        viewOf(context.env.caller),
      ),
      200,
      inert,
    ),
  );
  api.openapi(getChangelog, async (context) =>
    context.json(
      await readText(
        services,
        'changelog',
        context.req.valid('param'),
        context.req.valid('query').version,
        viewOf(context.env.caller),
      ),
      200,
      inert,
    ),
  );
  api.openapi(getStatistics, async (context) => {
    const found = nameOf(context.req.valid('param'));
    const { nowMs } = context.env.exchange;
    const since = new Date(nowMs - (context.req.valid('query').days - 1) * dayMs).toISOString().slice(0, 10);
    const view = viewOf(context.env.caller);
    const [packages, sent, told] = await Promise.all([
      catalogue.read(nowMs, view),
      readStatistics(downloads, found, since),
      readStatistics(installs, found, since),
    ]);
    const isLimited = typeof filterOf(view, found) === 'function';
    const isUnknown = !packages.all.has(found) && (view !== undefined || (sent.total === 0 && told.total === 0));
    // the catalogue leaves out what is damaged; reading the package rejects with TREE_DAMAGED
    if (isLimited || isUnknown) await readPublishedPackage(published, found, view);
    if (isUnknown) throw unknown(found);
    if (isLimited) {
      const [seenSent, seenTold] = await Promise.all(
        [downloads, installs].map(async (counts) =>
          countVisible(await readCounts(counts, true, found), packages, view)(found),
        ),
      );
      const labels = new Set(packages.labelsOf(found));
      return context.json(
        showStatistics(statisticsOf(sent, labels, seenSent ?? 0), statisticsOf(told, labels, seenTold ?? 0)),
        200,
      );
    }
    return context.json(showStatistics(sent, told), 200);
  });
  api.openapi(withdrawVersion, async (context) => {
    const { version: wanted, ...named } = context.req.valid('param');
    const found = nameOf(named);
    awaitBuilder(context.env.exchange);
    return context.json({ ...(await withdrawalsOf(actor(context)).withdraw(found, wanted)) }, 200);
  });
}

async function readText(
  { packageTexts }: PackageServices,
  kind: TextKind,
  named: z.infer<typeof params>,
  wanted: string | undefined,
  view: View | undefined,
) {
  const found = nameOf(named);
  const text = await packageTexts.read(found, kind, wanted, view);
  if (text === undefined)
    throw new RegistryError('NOT_FOUND', {
      message:
        `There is no ${kind === 'readme' ? 'README' : 'CHANGELOG'} of ` +
        `${found}${wanted === undefined ? '' : ` ${wanted}`} here.`,
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
