// Ends a token of a person at its registry. A token that cannot be ended there expires by itself.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { Context } from '../../io/context.ts';
import { printWarnings } from '../../io/output.ts';
import type { SignIn } from '../../login/sign-ins.ts';
import { requestRemote } from '../../remote/request-remote.ts';
import type { Remote } from '../../remote/remote.ts';

/** Warns if the token may still be valid. */
export async function endPersonToken(
  { stderr }: Context,
  remote: Remote,
  { token_id: id, expires_at: end, url }: Pick<SignIn, 'token_id' | 'expires_at' | 'url'>,
): Promise<void> {
  try {
    await requestRemote(remote, { method: 'DELETE', path: `/api/auth/tokens/${encodeURIComponent(id)}` });
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'INVALID_TOKEN') return; // it has ended already
    const reason = error instanceof Error ? error.message : String(error);
    printWarnings(stderr, [
      `The token ${id} of ${url} could not be ended there: ${reason} It expires on ${end.slice(0, 10)}. To end it now, ` +
        'open your account in the console.',
    ]);
  }
}
