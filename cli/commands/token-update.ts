// `libretto token update ID`: what is not given stays as it is.

import type { TokenPatch } from '../../proxy/auth/tokens.ts';
import type { Context } from '../context.ts';
import { printJson, printLines } from '../output.ts';
import type { Given } from '../command.ts';
import { runTokenCommand } from '../token-command.ts';
import { tokenFlags } from '../token-flags.ts';
import { describeToken } from '../token-text.ts';
import { UsageError } from '../usage-error.ts';

export function run(context: Context, given: Given): Promise<number> {
  return runTokenCommand(context, given, async ({ tokens, id, nowMs, json, show }) => {
    const document = await show(await tokens.update(id, patchOf(given.flags, nowMs)));
    if (json) printJson(context.stdout, document);
    else printLines(context.stdout, describeToken(document));
  });
}

function patchOf(given: Given['flags'], nowMs: number): TokenPatch {
  if (given['description'] === undefined && given['limit'] === undefined && given['expires'] === undefined) {
    throw new UsageError('Nothing to change was given. Name at least one of --description, --limit and --expires.');
  }
  const [withDefault, forEver] = [given['limit'] === 'default', given['expires'] === 'never'];
  const { description, limit, expires } = tokenFlags({ ...given, ...(withDefault ? { limit: undefined } : {}), ...(forEver ? { expires: undefined } : {}) }, nowMs);
  return {
    ...(description === undefined ? {} : { description }),
    ...(withDefault ? { limit: null } : limit === undefined ? {} : { limit }),
    ...(forEver ? { expiresAt: null } : expires === undefined ? {} : { expiresAt: expires }),
  };
}
