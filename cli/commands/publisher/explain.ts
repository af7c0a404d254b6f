// `libretto publisher explain`: what an ID token would get, and why not. Exit code 0 if it gets a token, 1 if not.

import { explanationDocument } from '../../../proxy/publishers/tokens/explanation-document.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { firstLine, secretIn } from '../../io/secret-file.ts';
import { describeExplanation } from '../../text/publisher-text.ts';
import { runPublisherCommand } from './publisher-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const idToken = firstLine(
    secretIn(given.flags['tokenFile'], context.workingDirectory, 'ID token'),
    'ID token',
  ).trim();
  return runPublisherCommand(context, given, async ({ publishing, json }) => {
    const document = explanationDocument(await publishing.oidc.explain(idToken));
    if (json) printJson(context.stdout, document);
    else printLines(context.stdout, describeExplanation(document));
    return document.publishers.some(({ token }) => token !== null) ? 0 : 1;
  });
}
