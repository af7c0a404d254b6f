// The frame of each token command: reads the configuration, opens the state, and prints the result.

import { readUses } from '../../../proxy/core/tokens/token-uses.ts';
import type { Tokens } from '../../../proxy/auth/tokens.ts';
import type { TokenRecord } from '../../../proxy/core/tokens/token.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import { openCommandState, type Opening } from '../../compose/command-state.ts';
import { composeTokens } from '../../compose/tokens.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import type { CommandInput } from '../../io/command.ts';
import { withSettingsOf } from '../../state/state-settings.ts';
import { tokenDocument, type TokenDocument } from '../../text/token-text.ts';

export interface TokenCommand {
  readonly context: Context;
  readonly given: CommandInput;
  readonly config: Config;
  readonly tokens: Tokens;
  readonly state: StateStore;
  readonly nowMs: number;
  /** the first operand */
  readonly id: string;
  readonly json: boolean;
  readonly show: (record: TokenRecord) => Promise<TokenDocument>;
  readonly showAll: (records: readonly TokenRecord[]) => Promise<readonly TokenDocument[]>;
}

/**
 * Runs `work` and resolves with exit code 0; refusals are thrown. `opening`: as of openCommandState.
 */
export async function runTokenCommand(
  context: Context,
  given: CommandInput,
  work: (command: TokenCommand) => Promise<void>,
  opening: Opening = {},
): Promise<number> {
  const { flags, operands } = given;
  const { config, state: store } = await openCommandState(context, flags, opening);
  // One instant for the whole command: `--expires 90d` is 90 days after `created_at`, to the millisecond.
  const now = context.now();
  const nowMs = now.getTime();
  try {
    const { limitsRead, limitsWrite } = await withSettingsOf(store, config);
    const defaultLimits = { read: limitsRead.value, write: limitsWrite.value };
    const show = async (records: readonly TokenRecord[]): Promise<readonly TokenDocument[]> => {
      const uses = await readUses(
        store,
        records.map(({ id }) => id),
      );
      return records.map((record) => tokenDocument(record, { defaultLimits, nowMs, use: uses.get(record.id) }));
    };
    await work({
      context,
      given,
      config,
      tokens: composeTokens(store, { ...context, now: () => now }),
      state: store,
      nowMs,
      show: async (record) => (await show([record]))[0] as TokenDocument,
      showAll: show,
      id: operands[0] ?? '',
      json: flags['json'] === true,
    });
  } finally {
    await store.close();
  }
  return 0;
}
