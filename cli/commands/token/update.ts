// `libretto token update ID`: changes the given values of a token. Other values are unchanged.

import type { TokenPatch } from '../../../proxy/auth/token-fields.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import type { CommandInput } from '../../io/command.ts';
import { runTokenCommand } from './token-command.ts';
import { tokenFlags } from './token-flags.ts';
import { limitFlags } from './token-limit-flags.ts';
import { describeToken } from '../../text/token-text.ts';
import { UsageError } from '../../io/usage-error.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runTokenCommand(
    context,
    given,
    async ({ tokens, id, nowMs, json, show }) => {
      const document = await show(await tokens.update(id, patchOf(given.flags, nowMs)));
      if (json) printJson(context.stdout, document);
      else printLines(context.summary, describeToken(document));
    },
    { changes: true },
  );
}

function patchOf(given: CommandInput['flags'], nowMs: number): TokenPatch {
  if (['description', 'limit', 'expires', ...limitFlags].every((name) => given[name] === undefined)) {
    throw new UsageError(
      'Nothing to change was given. Name at least one of --description, --limit, --expires, --package, ' +
        '--stability, --not-after, --network and --clear.',
    );
  }
  const withDefault = given['limit'] === 'default';
  const { description, limit, expires, limits } = tokenFlags(
    { ...given, ...(withDefault ? { limit: undefined } : {}) },
    nowMs,
  );
  return {
    limits,
    ...(description === undefined ? {} : { description }),
    ...(withDefault ? { limit: null } : limit === undefined ? {} : { limit }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
  };
}
