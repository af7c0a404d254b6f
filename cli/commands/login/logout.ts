// `libretto logout`: ends the token of this terminal at its registry, and removes it from this machine.

import { removeBearer } from '../../ci/composer-auth.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines, printWarnings } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { composerHome } from '../../login/config-folder.ts';
import { openSignIns, type SignIn } from '../../login/sign-ins.ts';
import { registryAddress } from '../../remote/registry-address.ts';
import { RegistryError } from '../../../build/contract/errors.ts';
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

export async function run(context: Context, { flags, operands: [operand] }: CommandInput): Promise<number> {
  const { environment, workingDirectory, now, steps } = context;
  const signIns = openSignIns(environment);
  const url = registryAddress(operand === undefined ? {} : { url: operand }, environment);
  const signIn = chosen(signIns.list(), url);
  const token = await signIns.tokenOf(signIn);
  await signIns.forget(signIn);
  if (token !== undefined) {
    const home = composerHome(environment, workingDirectory);
    await removeBearer(home, new URL(signIn.url).host, token);
    const remote = { url: signIn.url, token, now, onRequest: (line: string) => printLines(steps, [line]) };
    await endPersonToken(context, remote, signIn);
  }
  if (flags['json'] === true) printJson(context.stdout, signIn);
  else printLines(context.summary, [`Signed out of ${signIn.url}.`]);
  return 0;
}

/** Throws UsageError. */
function chosen(all: readonly SignIn[], url: string | undefined): SignIn {
  const [only] = all;
  const found = url === undefined && all.length === 1 ? only : all.find((one) => one.url === url);
  if (found !== undefined) return found;
  const known = all.map((one) => one.url).join(', ');
  if (url !== undefined)
    throw new UsageError(
      `You are not signed in at ${url}${known === '' ? '' : `, but at ${known}`}. \`libretto login --list\` shows all.`,
    );
  throw new UsageError(
    known === '' ? 'You are signed in nowhere.' : `Name the registry: you are signed in at ${known}.`,
  );
}
