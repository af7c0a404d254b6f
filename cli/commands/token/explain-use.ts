// Explains how to use a token whose secret was just printed, on standard error.

import type { Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { printLines } from '../../io/output.ts';
import type { CreatedToken } from '../../../proxy/tokens/token-schema.ts';
import { tokenUseLines } from '../../text/token-use.ts';
import { runningServer } from '../../state/running-server.ts';
import { addressForClients } from './address-for-clients.ts';

/**
 * Repeats the secret only on a terminal that showed it already: a script keeps standard error in its log, and must not
 * find the secret there.
 */
export async function explainUse(
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
