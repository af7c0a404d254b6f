// The token that a command takes when the environment and the command line have none: that of `libretto login`.

import type { Environment } from '../io/environment.ts';
import { UsageError } from '../io/usage-error.ts';
import { openSignIns } from './sign-ins.ts';

/** undefined: nobody is signed in at this registry. Throws UsageError for a sign-in that is over. */
export async function storedToken(url: string, environment: Environment, nowMs: number): Promise<string | undefined> {
  const signIns = openSignIns(environment);
  const signIn = signIns.list().find((one) => one.url === url);
  if (signIn === undefined) return undefined;
  const next = `Run \`libretto login ${url}\`.`;
  if (nowMs >= Date.parse(signIn.expires_at))
    throw new UsageError(`Your sign-in at ${url} has expired on ${signIn.expires_at.slice(0, 10)}. ${next}`);
  const token = await signIns.tokenOf(signIn);
  if (token === undefined)
    throw new UsageError(`The secret service of this desktop has no token for ${url}, or is locked. ${next}`);
  return token;
}
