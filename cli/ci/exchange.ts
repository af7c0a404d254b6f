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
import { execa } from 'execa';
import { isJsonObject } from '../../build/contract/json.ts';
import type { Environment } from '../io/environment.ts';
import { receiveResponse } from '../remote/receive-response.ts';

// Gets the ID token of the CI job that runs this command. The token is a secret, and appears in no message.

const variable = 'LIBRETTO_ID_TOKEN';
const answerTimeoutMs = 30_000;
const mostBytes = 100_000;

/** Throws UsageError for a job that has none, RemoteFailure if the CI system makes none. */
async function idTokenFor(audience: string, { environment }: Pick<Context, 'environment'>): Promise<string> {
  const given = environment[variable];
  if (given !== undefined) return givenToken(given, audience, environment);
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret } = environment;
  if (url !== undefined && url !== '' && secret !== undefined && secret !== '')
    return requestedToken(url, secret, audience);
  if (environment['BUILDKITE'] === 'true') return agentToken(audience, environment);
  throw new UsageError(adviceForSystem(environment, audience));
}

function givenToken(text: string, audience: string, environment: Environment): string {
  const token = text.trim();
  if (token === '') throw new UsageError(`${variable} is empty. ${adviceForSystem(environment, audience)}`);
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return token;
  throw new UsageError(
    `${variable} has no ID token: an ID token (JWT) has three parts with points between them. Give it the token alone.`,
  );
}

/** Of GitHub, Forgejo and what is like them. */
async function requestedToken(url: string, secret: string, audience: string): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  const address = `${url}${url.includes('?') ? '&' : '?'}audience=${encodeURIComponent(audience)}`;
  const headers = { authorization: `Bearer ${secret}`, accept: 'application/json' };
  const part = (bytes: Buffer): boolean => {
    parts.push(bytes);
    size += bytes.length;
    return size <= mostBytes;
  };
  try {
    const sent = { method: 'GET', headers, idleTimeoutMs: answerTimeoutMs } as const;
    const { status } = await receiveResponse(address, sent, { part });
    const token = status === 200 ? valueIn(Buffer.concat(parts).toString('utf8')) : undefined;
    if (token !== undefined) return token;
    throw new RemoteFailure(
      `The CI system answered ${status}, and gave no ID token. Run the job again; if that does not help, look at the ` +
        'permissions of the job.',
    );
  } catch (error) {
    if (error instanceof RemoteFailure) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new RemoteFailure(
      `The address in ACTIONS_ID_TOKEN_REQUEST_URL cannot be reached: ${reason}. Run the job again.`,
      { cause: error },
    );
  }
}

function valueIn(text: string): string | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const value = isJsonObject(json) ? json['value'] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  } catch {
    return undefined; // the caller says that there is no token
  }
}

/** The output of the agent may be a token, so it is in no message. */
async function agentToken(audience: string, environment: Environment): Promise<string> {
  const { failed, stdout } = await execa('buildkite-agent', ['oidc', 'request-token', '--audience', audience], {
    env: environment,
    extendEnv: false,
    reject: false,
    timeout: answerTimeoutMs,
    maxBuffer: mostBytes,
  });
  if (!failed) return givenToken(stdout, audience, environment);
  throw new RemoteFailure(
    '`buildkite-agent oidc request-token` gave no ID token. Run the step where the agent is in PATH, such as in a ' +
      'container with `mount-buildkite-agent: true`.',
  );
}

// What is missing in a CI job that has no ID token, in the words of its CI system. Pure.

interface System {
  /** set in every job of it */
  readonly variables: readonly string[];
  readonly advice: (audience: string) => string;
}

/** Forgejo and Gitea also set the variables of GitHub, so they come first. */
const systems: readonly System[] = [
  {
    variables: ['FORGEJO_ACTIONS', 'GITEA_ACTIONS'],
    advice: () =>
      'This job may not ask for an ID token. Add `enable-openid-connect: true` to the job in its workflow. Jobs of ' +
      'pull requests from forks get none.',
  },
  {
    variables: ['GITHUB_ACTIONS'],
    advice: () =>
      'This job may not ask for an ID token. Add `permissions:` with `id-token: write` to the job in its workflow, and ' +
      'also `contents: read`. Jobs of pull requests from forks get none.',
  },
  {
    variables: ['GITLAB_CI'],
    advice: (audience) =>
      `This job has no ID token. Add \`id_tokens:\` to the job, with \`LIBRETTO_ID_TOKEN:\` and \`aud: ${audience}\`.`,
  },
  {
    variables: ['BITBUCKET_BUILD_NUMBER'],
    advice: (audience) =>
      `This step has no ID token. Add \`oidc:\` to the step, with \`audiences:\` and the one entry \`- ${audience}\`. ` +
      'Then run `export LIBRETTO_ID_TOKEN="$BITBUCKET_STEP_OIDC_TOKEN"`.',
  },
  {
    variables: ['CIRCLECI'],
    advice: (audience) =>
      'This job has no ID token. First run ' +
      `\`export LIBRETTO_ID_TOKEN="$(circleci run oidc get --claims '{"aud": "${audience}"}')"\`.`,
  },
];

function adviceForSystem(environment: Environment, audience: string): string {
  const system = systems.find(({ variables }) => variables.some((name) => (environment[name] ?? '') !== ''));
  return (
    system?.advice(audience) ??
    `There is no ID token. Run the command in a CI job, with an ID token for the audience ${audience} in the variable ` +
      'LIBRETTO_ID_TOKEN. On a computer of a person, use a token: LIBRETTO_TOKEN.'
  );
}

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
