// `libretto package withdraw`: withdraws a version although its source has it. With --child it runs only the build,
// and the service reads the outcome as JSON.

import { withholdVersion, type VersionBuild } from '../../../build/withdraw/withhold-version.ts';
import { RegistryError } from '../../../build/contract/errors.ts';
import { readWithdrawn } from '../../../proxy/packages/version-withdrawer.ts';
import { createWithdrawals, type Withdrawal } from '../../../proxy/packages/withdrawals.ts';
import { policyKey } from '../../../proxy/policy/records/stored-policy.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { artifactBuild } from '../../builds/artifact-build.ts';
import { orDamagedList } from '../../builds/damaged-list.ts';
import type { CommandInput } from '../../io/command.ts';
import { openState } from '../../state/open-state.ts';
import type { Config } from '../../config/config.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines, printNotes } from '../../io/output.ts';
import { parseVersionArgument, type VersionArgument } from '../../purge/package-command.ts';
import { refuseUnpublished } from '../../tree/damaged-tree.ts';
import { withStateSettings } from '../../state/state-settings.ts';
import { UsageError } from '../../io/usage-error.ts';

export const publishes = true;

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { stdout, summary } = context;
  const config = await withStateSettings(await readDataFolder(context, flags, 'all', 'change'), context);
  const meant = parseVersionArgument(operands);
  if (flags['child'] === true) {
    const outcome = await orDamagedList(withholdVersion(meant, versionBuild(config, context)));
    printJson(stdout, outcome);
    return outcome.outcome === 'withdrawn' ? 0 : 1;
  }
  refuseUnpublished(config.data.value);
  const { withdrawn, hasPolicy } = await withdraw(meant, config, context);
  if (flags['json'] === true) printJson(stdout, withdrawn);
  else
    printLines(summary, [
      `${withdrawn.name} ${withdrawn.version} is withdrawn. Existing lock files still install it` +
        `${hasPolicy ? ', unless the policy blocks it' : ''}. To publish it again: ` +
        `\`libretto package restore ${withdrawn.name} ${withdrawn.version}\`.`,
    ]);
  return 0;
}

interface Withdrawn {
  readonly withdrawn: Withdrawal;
  /** true: a policy may refuse the archive too */
  readonly hasPolicy: boolean;
}

async function withdraw(meant: VersionArgument, config: Config, context: Context): Promise<Withdrawn> {
  const now = (): number => context.now().getTime();
  const state = await openState(config);
  try {
    const withdrawer = {
      withdraw: async () => {
        const outcome = await withholdVersion(meant, versionBuild(config, context));
        if (outcome.outcome === 'withdrawn') printNotes(context.remarks, outcome.notices);
        return readWithdrawn(outcome);
      },
    };
    const withdrawn = await createWithdrawals({
      store: createAuditedStore({ store: state, now }),
      actor: context.actor,
      withdrawer,
    }).withdraw(meant.name, meant.version);
    const hasPolicy = config.policy.value !== undefined || (await state.get(policyKey)) !== undefined;
    return { withdrawn, hasPolicy };
  } catch (error) {
    throw error instanceof RegistryError ? new UsageError(error.message, { cause: error }) : error;
  } finally {
    await state.close();
  }
}

function versionBuild(config: Config, context: Context): VersionBuild {
  const { request, ...build } = artifactBuild(config, context, () => undefined);
  return { ...build, request: { ...request, by: { actor: context.actor, command: 'package withdraw' } } };
}
