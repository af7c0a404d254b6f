// What every token command does around its own work: configuration, state, and what it shows.

import type { Tokens } from '../proxy/auth/tokens.ts';
import type { TokenRecord } from '../proxy/auth/token.ts';
import { composeTokens, openExistingState, openState } from './compose.ts';
import { loadConfig } from './config.ts';
import type { Context } from './context.ts';
import type { Given } from './command.ts';
import { tokenDocument, type TokenDocument } from './token-text.ts';

export interface TokenCommand {
  readonly context: Context;
  readonly given: Given;
  readonly tokens: Tokens;
  readonly nowMs: number;
  /** the first operand */
  readonly id: string;
  readonly json: boolean;
  readonly show: (record: TokenRecord) => TokenDocument;
}

/** Runs `work` and resolves with exit code 0; refusals are thrown. Only a command that `makes` something makes the state's folder. */
export async function runTokenCommand(context: Context, given: Given, work: (command: TokenCommand) => Promise<void>, makes = false): Promise<number> {
  const { flags, operands } = given;
  const config = await loadConfig({ flags, environment: context.environment, workingDirectory: context.workingDirectory });
  const nowMs = context.now().getTime();
  const defaultLimits = { read: config.limitsRead.value, write: config.limitsWrite.value };
  const show = (record: TokenRecord): TokenDocument => tokenDocument(record, { defaultLimits, nowMs });
  const store = makes ? await openState(config) : await openExistingState(config);
  try {
    await work({ context, given, tokens: composeTokens(store, context), nowMs, show, id: operands[0] ?? '', json: flags['json'] === true });
  } finally {
    await store.close();
  }
  return 0;
}
