// `libretto mirror warm`: exit code 0 if every mirrored version is stored here, 1 if one could not be fetched.

import { resolve } from 'node:path';

import { readLockFile } from '../../io/lock-file.ts';
import { runMirrorCommand } from '../../mirror/mirror-command.ts';
import { warmMirror, type Warmed } from '../../mirror/warm-mirror.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, firstOf, printJson, printLines, printProblems } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';

export async function run(context: Context, given: CommandInput): Promise<number> {
  const packages = given.operands.flatMap((path) => readLockFile(resolve(context.workingDirectory, path)));
  return runMirrorCommand(
    context,
    given,
    async ({ mirror }) => {
      if (!(await mirror.isOn()))
        throw new UsageError(
          'Nothing is mirrored: switch it on first, with `libretto settings set mirroring.enabled true`.',
        );
      const warmed = await warmMirror(
        mirror,
        packages,
        () => ({ nowMs: context.now().getTime(), epoch: 0 }),
        ({ name, version, outcome }) => printLines(context.steps, [`${name} ${version}: ${outcome}`]),
      );
      const bad = warmed.filter(({ outcome }) => outcome === 'failed' || outcome === 'missing');
      if (given.flags['json'] === true) printJson(context.stdout, { packages: warmed });
      else printLines(context.summary, [summary(warmed)]);
      printProblems(
        context.stderr,
        firstOf(
          bad.map(({ name, version, reason }) => `  ${name} ${version}: ${reason ?? ''}`),
          40,
        ),
      );
      return bad.length === 0 ? 0 : 1;
    },
    { changes: true },
  );
}

function summary(warmed: readonly Warmed[]): string {
  const count = (wanted: Warmed['outcome']): number => warmed.filter(({ outcome }) => outcome === wanted).length;
  const bad = count('failed') + count('missing');
  return (
    `${counted(warmed.length, 'package')}: ${count('fetched')} fetched, ${count('here')} here already, ` +
    `${count('not-mirrored')} not mirrored${bad === 0 ? '.' : `, ${bad} could not be fetched:`}`
  );
}
