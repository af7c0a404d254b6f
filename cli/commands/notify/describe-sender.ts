// Says who sends: commands store what is due, and a running server sends it.

import type { Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { runningServer } from '../../state/running-server.ts';

/** A sentence about `things`, such as `events`. */
export async function describeSender(config: Config, { now }: Pick<Context, 'now'>, things: string): Promise<string> {
  if (!config.features.value.includes('notifications'))
    return (
      `A server of this configuration sends no ${things}: it leaves out the feature notifications. Add it to ` +
      '"features" in libretto.json.'
    );
  return (await runningServer(config, now())) === undefined
    ? `No server runs now. A server sends ${things} as soon as it runs: \`libretto serve\`.`
    : `The running server sends ${things} within seconds.`;
}
