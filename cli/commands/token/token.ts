// `libretto token`: the commands about tokens, but for `token explain`.

import { standardExpiry } from '../../../proxy/auth/expiry.ts';
import { longestGraceSeconds, standardGraceSeconds } from '../../../proxy/auth/rotate-token.ts';
import {
  createToken,
  getToken,
  listTokens,
  revokeToken,
  rotateToken,
  updateToken,
  type TokenServices,
} from '../../../proxy/tokens/operations.ts';
import type { CreatedToken } from '../../../proxy/tokens/token-schema.ts';
import { printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { describeToken, describeTokens } from '../../text/token-text.ts';
import { operationCommand, type OperationCommand } from '../operation-command.ts';
import { explainUse } from './explain-use.ts';
import { tokenFlags } from './token-flags.ts';
import { limitFlags } from './token-limit-flags.ts';
import { tokenNoun } from './token-noun.ts';
import { warnOfUnmatchedPatterns } from './unmatched-patterns.ts';

type TokenCommand = OperationCommand<TokenServices>;

export const list = operationCommand(tokenNoun, async ({ all, json, context, print }) => {
  const tokens = await all(listTokens);
  if (tokens.length === 0 && !json)
    printLines(context.remarks, ['There is no token yet. Create one with `libretto token create --description TEXT`.']);
  else print({ tokens }, () => describeTokens(tokens));
});

export const show = operationCommand(tokenNoun, async ({ call, operands: [id = ''], print }) =>
  print(await call(getToken, { id }), describeToken),
);

export const create = operationCommand(
  tokenNoun,
  async (command) => {
    const { flags, call, context, config, json } = command;
    // the standard expiry counts from the moment at which the registry makes the token
    const expires = flags['expires'] === standardExpiry ? undefined : flags['expires'];
    const { description = '', kind = 'read', ...others } = tokenFlags({ ...flags, expires }, context.now().getTime());
    const token = await call(createToken, { description, kind, ...others });
    await printSecret(command, token, {
      heading: 'Token (shown only once; store it now):',
      unprinted: `The token ${token.id} was created, but its secret could not be printed. Revoke it and create another.`,
    });
    if (!json && config !== undefined) await warnOfUnmatchedPatterns(context, config, token);
  },
  { makes: true },
);

/** Other values are unchanged. */
export const update = operationCommand(
  tokenNoun,
  async ({ flags, operands: [id = ''], call, context, report }) => {
    if (['description', 'limit', 'expires', ...limitFlags].every((name) => flags[name] === undefined))
      throw new UsageError(
        'Nothing to change was given. Name at least one of --description, --limit, --expires, --package, ' +
          '--stability, --not-after, --network and --clear.',
      );
    const patch = tokenFlags(flags, context.now().getTime(), { takesDefault: true });
    report(await call(updateToken, { id, ...patch }), describeToken);
  },
  { changes: true },
);

/** The former secret stays valid for a grace period. */
export const rotate = operationCommand(
  tokenNoun,
  async (command) => {
    const { call, operands, flags } = command;
    const token = await call(rotateToken, { id: operands[0] ?? '', grace_seconds: graceFlag(flags['grace']) });
    await printSecret(command, token, {
      heading: 'New secret of the token (shown only once; store it now):',
      unprinted: `The token ${token.id} has a new secret, but it could not be printed. Rotate the token again.`,
    });
  },
  { changes: true },
);

/** A repeated call changes nothing, says so, and succeeds. */
export const revoke = operationCommand(
  tokenNoun,
  async ({ call, operands: [text = ''], report }) => {
    const token = await call(getToken, { id: text });
    const { id, description, revoked_at: before } = token;
    report(before === null ? await call(revokeToken, { id }) : token, () => [
      before === null
        ? `${id} (${description}) is revoked. The registry refuses it from now on.`
        : `${id} was revoked already, on ${before}.`,
    ]);
  },
  { changes: true },
);

/** The secret is alone on standard output, for scripts. Its explanation is on standard error. */
async function printSecret(
  { context, config, json, report }: TokenCommand,
  token: CreatedToken,
  { heading, unprinted }: { readonly heading: string; readonly unprinted: string },
): Promise<void> {
  if (json) report(token, describeToken);
  else {
    printLines(context.remarks, [...describeToken(token), '', heading]);
    printLines(context.stdout, [token.token]);
  }
  await context.stdout.delivered(unprinted);
  if (!json && config !== undefined) await explainUse(context, config, token);
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
