// `libretto token`: the commands about tokens, but for `token explain`.

import { standardExpiry, parseExpiry } from '../../../proxy/auth/expiry.ts';
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
import { describeToken, describeTokens, tokenUseLines } from '../../text/token-text.ts';
import { operationCommand, type OperationCommand } from '../operation-command.ts';
import { limitFlags, parseLimitFlags } from './token-limit-flags.ts';
import { tokenNoun } from './token-noun.ts';
import { warnOfUnmatchedPatterns } from './unmatched-patterns.ts';
import { TokenError } from '../../../proxy/auth/token-error.ts';
import type { TokenKind } from '../../../proxy/core/tokens/token-format.ts';
import { checkedDescription } from '../../../proxy/auth/token-fields.ts';
import { mostRequestsAnHour } from '../../../proxy/settings/setting-kinds.ts';
import type { TokenLimits } from '../../../proxy/core/views/token-limits.ts';
import { parseWholeNumber } from '../../config/setting-values.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { runningServer } from '../../state/running-server.ts';
import { addressForClients } from './address-for-clients.ts';

/**
 * Repeats the secret only on a terminal that showed it already: a script keeps standard error in its log, and must not
 * find the secret there.
 */
async function explainUse(
  context: Context,
  config: Config,
  { kind, effective_rate_limit: limit, token }: CreatedToken,
): Promise<void> {
  const { stdout, stderr, remarks, networkAddresses, now } = context;
  const server = await runningServer(config, now());
  const isShown = stdout.isTTY === true && stderr.isTTY === true;
  printLines(
    remarks,
    tokenUseLines({
      token: { kind, limit },
      secret: isShown ? token : undefined,
      invocation: context.invocation,
      ...addressForClients(config, networkAddresses(), server),
    }),
  );
}

/** The fields of a token as its operations take them. */
interface TokenFlags extends Partial<TokenLimits> {
  readonly description: string | undefined;
  readonly kind: TokenKind | undefined;
  /** null: the default of the kind */
  readonly rate_limit: number | null | undefined;
  /** null: never */
  readonly expires_at: string | null | undefined;
}

/**
 * undefined: not given. Throws UsageError with all faults of all flags, a line each. `takesDefault`: a limit may be
 * `default`.
 */
function tokenFlags(
  given: Readonly<Record<string, unknown>>,
  nowMs: number,
  { takesDefault = false }: { readonly takesDefault?: boolean } = {},
): TokenFlags {
  const { description, kind, limit, expires } = given;
  const problems: string[] = [];
  const noting = <Value>(read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof TokenError)) throw error;
      problems.push(error.message);
      return undefined;
    }
  };
  const isDefault = takesDefault && limit === 'default';
  const flags = {
    description: typeof description === 'string' ? noting(() => checkedDescription(description)) : undefined,
    kind: kind === undefined ? undefined : noting(() => kindFlag(kind)),
    rate_limit: isDefault ? null : limit === undefined ? undefined : noting(() => limitFlag(limit)),
    expires_at: typeof expires === 'string' ? noting(() => expiryFlag(expires, nowMs)) : undefined,
    ...noting(() => parseLimitFlags(given)),
  };
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return flags;
}

function expiryFlag(text: string, nowMs: number): string | null {
  return text.toLowerCase() === 'never' ? null : parseExpiry(text, nowMs).toISOString();
}

function kindFlag(raw: unknown): TokenKind {
  if (raw === 'read' || raw === 'write') return raw;
  throw new UsageError(`--kind is ${JSON.stringify(raw)}; allowed: read or write.`);
}

function limitFlag(raw: unknown): number {
  const limit = parseWholeNumber(raw, 0, mostRequestsAnHour);
  if (limit !== undefined) return limit;
  throw new UsageError(
    `--limit is ${JSON.stringify(raw)}; allowed: requests an hour as a whole number up to ` +
      `${mostRequestsAnHour}, or 0 for no limit.`,
  );
}

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
