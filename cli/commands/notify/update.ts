// `libretto notify update`: changes an endpoint, or gives it a new secret, which is printed alone on standard output.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { UsageError } from '../../io/usage-error.ts';
import { endpointPatch } from './endpoint-flags.ts';
import { runNotifyCommand } from './notify-command.ts';
import { printChanged, printIssued, warnOf } from './print-endpoint.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const { flags } = given;
  const [rotates, dropOld] = [flags['rotate'] === true, flags['dropOld'] === true];
  if (dropOld && !rotates) throw new UsageError('--drop-old belongs to --rotate.');
  const patch = endpointPatch(flags, context.workingDirectory);
  const isChanged = Object.values(patch).some((value) => value !== undefined);
  if (rotates && isChanged)
    throw new UsageError('--rotate makes a new secret, and changes nothing else. Change the fields in another call.');
  if (!rotates && !isChanged)
    throw new UsageError(
      'Nothing to change was given. Name at least one flag of those that `libretto notify update --help` shows.',
    );
  return runNotifyCommand(
    context,
    given,
    async (command) => {
      const { endpoints, id } = command;
      if (rotates) await printIssued(command, await endpoints.rotate(id, dropOld), false);
      else {
        const record = await endpoints.update(id, patch);
        await printChanged(command, record);
        await warnOf(command, record, flags['url']);
      }
      return 0;
    },
    { changes: true },
  );
}
