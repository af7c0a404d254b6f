// `libretto publisher add`: CI jobs that fit its rules exchange their ID token for a token of this registry.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printLines } from '../../io/output.ts';
import { warnOfUnmatchedPatterns } from '../token/unmatched-patterns.ts';
import { printPublisher } from './print-publisher.ts';
import { runPublisherCommand } from './publisher-command.ts';
import { publisherDraft } from './publisher-flags.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const draft = publisherDraft(given.flags);
  return runPublisherCommand(
    context,
    given,
    async (command) => {
      const record = await command.publishers.create(draft);
      const { ids } = await printPublisher(command, record);
      if (ids === 'unknown' && !command.json)
        printLines(context.remarks, [
          '',
          'The first exchange pins the ids of the repository. To pin them now, use --repository-id and --owner-id with ' +
            `\`libretto publisher update ${record.id}\`.`,
        ]);
      // a package that is published may exist later
      if (record.purpose === 'read') await warnOfUnmatchedPatterns(context, command.config, record);
      return 0;
    },
    { makes: true },
  );
}
