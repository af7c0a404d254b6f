// `libretto policy import-settings`: the rules of the settings `mirroring.*` become rules of the policy.

import { importSettings } from '../../../proxy/policy/admin/import-settings.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, printChanges, printJson, printLines } from '../../io/output.ts';
import { differenceLines } from '../../text/policy-text.ts';
import { refusePolicyFile, runPolicyCommand } from './policy-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const dryRun = given.flags['dryRun'] === true;
  return runPolicyCommand(
    context,
    given,
    async ({ config, state, json }) => {
      refusePolicyFile(config, copyThere);
      const store = createAuditedStore({ store: state, now: () => context.now().getTime() });
      const imported = await importSettings({ store, actor: context.actor }, { dryRun });
      if (json) printJson(context.stdout, { dry_run: dryRun, ...imported });
      else if (imported.settings.length === 0)
        printLines(context.summary, ['No setting describes a rule. Nothing was changed.']);
      else
        printChanges(dryRun ? context.stdout : context.summary, [
          dryRun
            ? `These changes would be made, and ${counted(imported.settings.length, 'setting')} unset:`
            : `The policy has these changes, and ${counted(imported.settings.length, 'setting')} unset:`,
          ...differenceLines(imported.difference),
          ...imported.settings.map((key) => `  - setting ${key}`),
        ]);
      return 0;
    },
    { changes: !dryRun, area: 'all' },
  );
}

const copyThere =
  'Copy the rules there (`libretto policy show --json` prints them as rules_of_settings), give them names without the ' +
  'dot, and unset the settings with `libretto settings unset`.';
