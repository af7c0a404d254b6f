// `libretto token rotate ID`: makes a new secret, printed alone on standard output as after a creation. The former
// secret stays valid for a grace period.

import { longestGraceSeconds, standardGraceSeconds } from '../../../proxy/auth/rotate-token.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines, revealSecret } from '../../io/output.ts';
import { explainUse } from './explain-use.ts';
import { runTokenCommand, type TokenCommand } from './token-command.ts';
import { describeToken } from '../../text/token-text.ts';
import { UsageError } from '../../io/usage-error.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runTokenCommand(context, given, rotate, { changes: true });
}

async function rotate({ context, given: { flags }, config, tokens, id, json, show }: TokenCommand): Promise<void> {
  const { record, secret } = await tokens.rotate(id, graceFlag(flags['grace']));
  const document = await show(record);
  const { id: rotated, ...others } = document;
  if (json) {
    printJson(context.stdout, { id: rotated, token: revealSecret(secret), ...others });
  } else {
    printLines(context.remarks, [
      ...describeToken({ id: rotated, ...others }),
      '',
      'New secret of the token (shown only once; store it now):',
    ]);
    printLines(context.stdout, [revealSecret(secret)]);
  }
  await context.stdout.delivered(
    `The token ${rotated} has a new secret, but it could not be printed. Rotate the token again.`,
  );
  if (!json) await explainUse(context, config, document, secret);
}

const secondsOf: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

/** Seconds of `0`, `30m`, `12h` or `7d`. */
function graceFlag(raw: unknown): number {
  if (raw === undefined) return standardGraceSeconds;
  const [, count, unit = ''] = /^(\d{1,6})([mhd])?$/.exec(String(raw)) ?? [];
  const seconds = Number(count) * (unit === '' && count === '0' ? 1 : (secondsOf[unit] ?? Number.NaN));
  if (seconds <= longestGraceSeconds) return seconds;
  throw new UsageError(
    `--grace is ${JSON.stringify(raw)}; allowed: a span up to 30 days such as 30m, 12h or 7d, or 0 to end the ` +
      'former secret at once.',
  );
}
