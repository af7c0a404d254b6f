// Published packages over HTTP: search, contents, texts, statistics, and the withdrawal of a version.

import type { z } from 'zod';
import type { PackageName } from '../../../build/contract/name.ts';
import { viewOf, type Caller } from '../../auth/caller.ts';
import {
  describePackage,
  namedPackage,
  readPackageText,
  readUses,
  type Asking,
  type PackageParts,
} from '../../packages/describe-package.ts';
import { isDescending, listPackages as findPackages } from '../../packages/list-packages.ts';
import { showStatistics } from '../../packages/package-statistics.ts';
import type { Withdrawals } from '../../packages/withdrawals.ts';
import { awaitBuilder } from '../../core/protocol/feature.ts';
import type { Actor } from '../../state/audit.ts';
import { actor, type Api, type ApiContext } from '../frame/api.ts';
import { paginate } from '../../registry/page.ts';
import { showPackage, showSummary } from '../schemas/package.ts';
import type { PolicyServices } from './policy.ts';
import {
  type params,
  listPackages,
  getPackage,
  getReadme,
  getChangelog,
  getStatistics,
  withdrawVersion,
} from './package-operations.ts';

export interface PackageServices extends PackageParts {
  readonly withdrawalsOf: (actor: Actor) => Withdrawals;
}

type PackageRoutes = PackageServices & Pick<PolicyServices, 'blockedVersions'>;

/** A browser that opens the answer itself runs no code of the text. */
const inert = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox" };

export function registerPackages(api: Api, services: PackageRoutes): void {
  api.openapi(listPackages, async (context) => {
    const { search: words, type, vendor, sort, ...wanted } = context.req.valid('query');
    const listed = await findPackages(services, { words, type, vendor, sort }, askingOf(context));
    const { data, next_cursor } = paginate(listed, wanted, ({ key }) => key, isDescending(sort));
    return context.json(
      { data: data.map(({ summary, downloads }) => showSummary(summary, downloads)), next_cursor },
      200,
    );
  });
  api.openapi(getPackage, async (context) => {
    const name = nameOf(context.req.valid('param'));
    const asking = askingOf(context);
    const described = await describePackage(services, name, asking);
    const blockOf = await services.blockedVersions(name, asking.nowMs);
    return context.json(showPackage({ ...described, blockOf, origins: seesOrigins(context.env.caller) }), 200);
  });
  api.openapi(getReadme, async (context) => {
    const wanted = { kind: 'readme', ...context.req.valid('query') } as const;
    const { view } = askingOf(context);
    return context.json(await readPackageText(services, nameOf(context.req.valid('param')), wanted, view), 200, inert);
  });
  api.openapi(getChangelog, async (context) => {
    const wanted = { kind: 'changelog', ...context.req.valid('query') } as const;
    const { view } = askingOf(context);
    return context.json(await readPackageText(services, nameOf(context.req.valid('param')), wanted, view), 200, inert);
  });
  api.openapi(getStatistics, async (context) => {
    const { days } = context.req.valid('query');
    const { sent, reported } = await readUses(services, nameOf(context.req.valid('param')), days, askingOf(context));
    return context.json(showStatistics(sent, reported), 200);
  });
  api.openapi(withdrawVersion, async (context) => {
    const { version: wanted, ...named } = context.req.valid('param');
    const found = nameOf(named);
    awaitBuilder(context.env.exchange);
    return context.json({ ...(await services.withdrawalsOf(actor(context)).withdraw(found, wanted)) }, 200);
  });
}

function askingOf({ env: { exchange, caller } }: ApiContext): Asking {
  return { view: viewOf(caller), nowMs: exchange.nowMs };
}

/** People and write tokens that see all packages see sources too, and versions that were left out. */
function seesOrigins(caller: Caller): boolean {
  if (viewOf(caller) !== undefined) return false;
  return caller.kind === 'user' || (caller.kind === 'token' && caller.token.kind === 'write');
}

function nameOf({ vendor, package: project }: z.infer<typeof params>): PackageName {
  return namedPackage(`${vendor}/${project}`);
}
