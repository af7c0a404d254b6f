// `libretto token create`: prints the secret alone on standard output, for scripts, and its explanation on standard
// error.

import type { Context } from '../../io/context.ts';
import { describeToken } from '../../text/token-text.ts';
import { printJson, printLines, revealSecret } from '../../io/output.ts';
import type { CommandInput } from '../../io/command.ts';
import { runTokenCommand, type TokenCommand } from './token-command.ts';
import { explainUse } from './explain-use.ts';
import { warnOfUnmatchedPatterns } from './unmatched-patterns.ts';
import { tokenFlags } from './token-flags.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runTokenCommand(context, given, create, { makes: true });
}

async function create({ context, given: { flags }, config, tokens, nowMs, json, show }: TokenCommand): Promise<void> {
  const { description = '', kind = 'read', limit, expires, limits } = tokenFlags(flags, nowMs);
  const { record, secret } = await tokens.create({
    description,
    kind,
    limit: limit ?? null,
    ...(expires === undefined ? {} : { expiresAt: expires }),
    limits,
  });
  const document = await show(record);
  const { id, ...others } = document;
  if (json) {
    printJson(context.stdout, { id, token: revealSecret(secret), ...others });
  } else {
    printLines(context.remarks, [...describeToken({ id, ...others }), '', 'Token (shown only once; store it now):']);
    printLines(context.stdout, [revealSecret(secret)]);
  }
  await context.stdout.delivered(
    `The token ${id} was created, but its secret could not be printed. Revoke it and create another.`,
  );
  if (json) return;
  await explainUse(context, config, document, secret);
  await warnOfUnmatchedPatterns(context, config, record);
}
