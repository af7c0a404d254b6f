// `libretto package withdraw`: withdraws a version although its source has it. With --child it runs only the build,
// and the service reads the outcome as JSON.

import { messageOf } from '../../../build/shared/text/message-of.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { listShortly } from '../../../build/shared/text/list-shortly.ts';
import { withholdVersion } from '../../../build/withdraw/withhold-version.ts';
import { withdrawVersion, type PackageServices } from '../../../proxy/packages/operations.ts';
import { readWithdrawn } from '../../../proxy/packages/version-withdrawer.ts';
import { createWithdrawals } from '../../../proxy/packages/withdrawals.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { artifactBuild } from '../../builds/artifact-build.ts';
import { orDamagedList } from '../../builds/damaged-list.ts';
import type { Config } from '../../config/config.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printNotes } from '../../io/output.ts';
import { withLocalPolicy } from '../../policy-admin/local-policy-admin.ts';
import { parseVersionArgument } from '../../purge/package-command.ts';
import { withSettingsOf, withStateSettings } from '../../state/state-settings.ts';
import { refuseUnpublished } from '../../tree/damaged-tree.ts';
import { operationCommand, type Noun } from '../operation-command.ts';
import type { VersionBuild } from '../../../build/artifacts/artifact-tree.ts';

export const publishes = true;

export async function run(context: Context, given: CommandInput): Promise<number> {
  return (given.flags['child'] === true ? buildOnly : withdraw.run)(context, given);
}

async function buildOnly(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const config = await withStateSettings(await readDataFolder(context, flags, 'all', 'change'), context);
  const outcome = await orDamagedList(withholdVersion(parseVersionArgument(operands), versionBuild(config, context)));
  printJson(context.stdout, outcome);
  return outcome.outcome === 'withdrawn' ? 0 : 1;
}

const noun: Noun<Pick<PackageServices, 'withdrawalsOf'>> = {
  name: 'package',
  compose: ({ config, state }, context) => {
    refuseUnpublished(config.data.value);
    const store = createAuditedStore({ store: state, now: () => context.now().getTime() });
    const withdrawer = {
      withdraw: async (...meant: readonly [name: string, version: string]) => {
        const { name, version } = parseVersionArgument(meant);
        const lost = await lostFix(name, version, config, context);
        const build = versionBuild(await withSettingsOf(state, config), context);
        const outcome = await withholdVersion(parseVersionArgument(meant), build);
        if (outcome.outcome === 'withdrawn') printNotes(context.remarks, [...outcome.notices, ...lost]);
        return readWithdrawn(outcome);
      },
    };
    return { services: { withdrawalsOf: (actor) => createWithdrawals({ store, actor, withdrawer }) } };
  },
};

const withdraw = operationCommand(
  noun,
  async ({ operands, call, report }) => {
    const { name, version } = parseVersionArgument(operands);
    const [vendor = '', project = ''] = name.split('/');
    report(await call(withdrawVersion, { vendor, package: project, version }), (withdrawn) => [
      `${withdrawn.name} ${withdrawn.version} is withdrawn. Existing lock files still install it, unless the policy ` +
        `blocks it. To publish it again: \`libretto package restore ${withdrawn.name} ${withdrawn.version}\`.`,
    ]);
  },
  { changes: true, makesState: true, area: 'all' },
);

/** What to say of a release that fixes an advisory. What cannot be read hinders no withdrawal here: the build names damage. */
async function lostFix(
  name: PackageName,
  version: string,
  ...place: readonly [Config, Context]
): Promise<readonly string[]> {
  try {
    const standing = await withLocalPolicy(...place, (policy) => policy.standing(name));
    const fixed = (standing?.versions ?? []).filter(({ fixedIn }) => fixedIn === version).map((one) => one.version);
    return fixed.length === 0 ? [] : [`It was the first release that fixes an advisory in ${listShortly(fixed)}.`];
  } catch (error) {
    return [`It is unknown whether it fixed an advisory: ${messageOf(error)}`];
  }
}

function versionBuild(config: Config, context: Context): VersionBuild {
  const { request, ...build } = artifactBuild(config, context);
  return { ...build, request: { ...request, by: { actor: context.actor, command: 'package withdraw' } } };
}
