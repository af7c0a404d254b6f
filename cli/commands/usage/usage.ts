// `libretto usage`: the tokens and projects that use a package, and which of its versions.

import { createCatalogue } from '../../../proxy/packages/catalogue.ts';
import { countUsers, nameOfUser, shortVersion } from '../../../proxy/usage/describe-users.ts';
import { getUsage } from '../../../proxy/usage/operations.ts';
import type { UsageServices } from '../../../proxy/usage/read-usage.ts';
import { usageCsv } from '../../../proxy/usage/usage-csv.ts';
import type { UsageDocument } from '../../../proxy/usage/usage-schema.ts';
import { formatTable, printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { parsePackageArgument } from '../../purge/package-command.ts';
import { openLocalPolicyAdmin } from '../../policy-admin/local-policy-admin.ts';
import { operationCommand, type Noun } from '../operation-command.ts';

export const usageNoun: Noun<UsageServices> = {
  name: 'package',
  flags: { constraint: 'the constraint', packages: 'the lock file' },
  compose: async ({ config, state }, context) => {
    const { published, policy: policyAdmin, close } = await openLocalPolicyAdmin(config, context, state);
    return { services: { state, published, catalogue: createCatalogue(published), policyAdmin }, close };
  },
};

export const { run } = operationCommand(
  usageNoun,
  async ({ operands: [text = '', constraint], flags, json, context, call, print }) => {
    const isCsv = flags['csv'] === true;
    if (isCsv && json) throw new UsageError('--csv and --json exclude each other.');
    const name = parsePackageArgument(text);
    const [vendor = '', project = ''] = name.split('/');
    const since = typeof flags['since'] === 'string' ? flags['since'] : undefined;
    if (since !== undefined && !/^\d{4}-\d\d-\d\d$/.test(since))
      throw new UsageError(`--since is ${JSON.stringify(since)}; allowed: a day such as 2026-11-01.`);
    const usage = await call(getUsage, { vendor, package: project, constraint, since });
    const short = shortVersion(constraint ?? '');
    if (short !== undefined)
      printLines(context.stderr, [
        `${constraint} means ${short.exact} alone, as in Composer. All of it: '${short.all}'`,
      ]);
    if (isCsv) printLines(context.stdout, usageCsv(usage));
    else print({ name, ...usage }, () => describe(name, usage));
  },
  { area: 'all' },
);

function describe(name: string, { data, counted_since: since, truncated, ...users }: UsageDocument): readonly string[] {
  const rows = data.map(({ token, version, state, fixed_in: fix, last_used_on: last, downloads, installs }) => [
    last,
    nameOfUser(token),
    token?.status === 'active' ? (token.owner ?? '') : (token?.status ?? ''),
    version,
    fix === null ? state : `${state}, fixed in ${fix}`,
    String(downloads),
    String(installs),
    token?.client ?? '',
  ]);
  const heading = `${countUsers(users)} ${users.tokens + users.projects === 1 ? 'uses' : 'use'} ${name}:`;
  const head = ['LAST USE', 'USED BY', 'OWNER', 'VERSION', 'STATE', 'DOWNLOADS', 'INSTALLS', 'CLIENT'];
  return [
    data.length === 0 ? `No use of ${name} is known.` : heading,
    ...(data.length === 0 ? [] : formatTable(head, rows)),
    ...truncated,
    since === null
      ? 'Downloads are not counted by token. `libretto settings set statistics.by token` counts them from now on.'
      : `Downloads are counted by token since ${since}.`,
  ];
}
