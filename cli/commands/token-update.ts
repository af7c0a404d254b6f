// `libretto token update ID`: what is not given stays as it is.

import type { TokenPatch } from '../../proxy/auth/tokens.ts';
import type { Context } from '../context.ts';
import { printJson, printLines } from '../output.ts';
import type { Given } from '../command.ts';
import { runTokenCommand } from '../token-command.ts';
import { expiryFlag, limitFlag } from '../token-flags.ts';
import { describeToken } from '../token-text.ts';
import { UsageError } from '../usage-error.ts';

export function run(context: Context, given: Given): Promise<number> {
  return runTokenCommand(context, given, async ({ tokens, id, nowMs, json, show }) => {
    const document = show(await tokens.update(id, patchOf(given.flags, nowMs)));
    if (json) printJson(context.stdout, document);
    else printLines(context.stdout, describeToken(document));
  });
}

function patchOf({ description, limit, expires }: Given['flags'], nowMs: number): TokenPatch {
  if (description === undefined && limit === undefined && expires === undefined) {
    throw new UsageError('Nothing to change was given. Name at least one of --description, --limit and --expires.');
  }
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...(limit === undefined ? {} : { limit: limit === 'default' ? null : (limitFlag(limit) ?? null) }),
    ...(expires === undefined ? {} : { expiresAt: expires === 'never' ? null : (expiryFlag(expires, nowMs) ?? null) }),
  };
}
