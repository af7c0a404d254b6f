// Exchanges the ID token of a CI job for a token of a registry, and ends that token.

import { Readable } from 'node:stream';

import { parseUrl } from '../../build/contract/parse-url.ts';
import type { Context } from '../io/context.ts';
import { printLines, printWarnings } from '../io/output.ts';
import { UsageError } from '../io/usage-error.ts';
import { requestRemote } from '../remote/request-remote.ts';
import { refusePlainHttp } from '../remote/plain-http.ts';
import { registryAddress } from '../remote/registry-address.ts';
import { RemoteFailure, type Remote, type RemoteRegistry } from '../remote/remote.ts';
import { idTokenFor } from './id-token.ts';

export interface JobToken {
  readonly token: string;
  readonly id: string;
  readonly expiresAt: string;
  readonly publisher: string;
}

export interface JobWish {
  readonly purpose: 'publish' | 'read';
  /** the id of a publisher; undefined: the only one that accepts the job */
  readonly publisher: string | undefined;
}

/** The registry of this command line. Throws UsageError. `what`: the command, for messages. */
export function registryOfJob(
  flags: Readonly<Record<string, unknown>>,
  { environment, steps, now }: Pick<Context, 'environment' | 'steps' | 'now'>,
  what: string,
): RemoteRegistry {
  const url = registryAddress(flags, environment);
  if (url === undefined)
    throw new UsageError(
      `${what} needs a registry. Name its address with LIBRETTO_URL or --url, such as https://packages.example.org.`,
    );
  refusePlainHttp(url, flags['insecureHttp'] === true);
  return { url, now, onRequest: (line) => printLines(steps, [line]) };
}

/** Throws UsageError, RegistryError with the refusal of the registry, and RemoteFailure. */
export async function exchange(registry: RemoteRegistry, context: Context, wish: JobWish): Promise<JobToken> {
  const idToken = await idTokenFor(await audienceOf(registry), context);
  const { purpose, publisher } = wish;
  const text = JSON.stringify({ token: idToken, purpose, publisher });
  const { body } = await requestRemote(registry, {
    method: 'POST',
    path: '/api/oidc/token',
    headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) },
    body: Readable.from([text]),
  });
  const { token, id, expires_at: expiresAt, publisher: accepting } = body;
  if ([token, id, expiresAt, accepting].some((value) => typeof value !== 'string'))
    throw new RemoteFailure(`${registry.url} gave no token in its answer. Check the address.`);
  return { token: String(token), id: String(id), expiresAt: String(expiresAt), publisher: String(accepting) };
}

/**
 * The address of the registry itself. Another registry's address is refused: whoever asks for an ID token for it could
 * send the ID token there, and publish in the name of this job.
 */
async function audienceOf(registry: RemoteRegistry): Promise<string> {
  const { body } = await requestRemote(registry, { method: 'GET', path: '/api/oidc/audience' });
  const audience = String(body['audience']);
  if (withoutSlash(audience) === withoutSlash(registry.url)) return audience;
  throw new UsageError(
    `The registry ${registry.url} says that its address is ${audience}. No ID token was sent. Use --url ${audience}, or ` +
      'correct publicUrl on the host of the registry.',
  );
}

function withoutSlash(url: string): string {
  return (parseUrl(url)?.href ?? url).replace(/\/+$/, '');
}

/** The token ends with `work`, also after a failure. */
export async function withJobToken<Result>(
  registry: RemoteRegistry,
  context: Context,
  wish: JobWish,
  work: (remote: Remote) => Promise<Result>,
): Promise<Result> {
  const { token, expiresAt } = await exchange(registry, context, wish);
  const remote: Remote = { ...registry, token };
  try {
    return await work(remote);
  } finally {
    await end(remote, context, expiresAt);
  }
}

/** Ends the token of `remote`. Throws RegistryError, and RemoteFailure. */
export async function endJobToken(remote: Remote): Promise<void> {
  await requestRemote(remote, { method: 'DELETE', path: '/api/oidc/token' });
}

/** A token that could not be ended expires soon, so that the work of the command counts. */
async function end(remote: Remote, { stderr }: Context, expiresAt: string): Promise<void> {
  try {
    await endJobToken(remote);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    printWarnings(stderr, [`The token of this job could not be ended, and expires at ${expiresAt}: ${reason}`]);
  }
}
