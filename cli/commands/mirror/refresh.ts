// `libretto mirror refresh [NAME]`: exit code 1 if no upstream gives the named package.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePackageName } from '../../../build/contract/name.ts';
import { replaceFile } from '../../../build/shared/files/atomic-file.ts';
import { refreshFile } from '../../../proxy/mirror/rules/mirror-rules.ts';
import { runMirrorCommand } from '../../mirror/mirror-command.ts';
import { warmDocuments } from '../../mirror/warm-mirror.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines, printProblems } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { notAPackageName } from '../../text/name-and-version.ts';

export async function run(context: Context, given: CommandInput): Promise<number> {
  const [operand] = given.operands;
  const name = operand === undefined ? undefined : parsePackageName(operand.toLowerCase());
  if (operand !== undefined && name === undefined) throw new UsageError(notAPackageName(operand));
  const moment = { nowMs: context.now().getTime(), epoch: 0 };
  return runMirrorCommand(
    context,
    given,
    async ({ mirror, folder }) => {
      const problem = name === undefined ? null : await warmDocuments(mirror, name, moment);
      await mkdir(folder, { recursive: true });
      await replaceFile(join(folder, refreshFile), ['']);
      const done = `${name === undefined ? '' : `${name} was requested. `}Servers request lists of names anew.`;
      if (given.flags['json'] === true) printJson(context.stdout, { name: name ?? null, problem });
      else if (problem === null) printLines(context.summary, [done]);
      if (problem !== null) printProblems(context.stderr, [`${name ?? ''}: ${problem}`]);
      return problem === null ? 0 : 1;
    },
    { changes: true, asksAnew: true },
  );
}
