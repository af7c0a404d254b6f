// Gets the ID token of the CI job that runs this command. The token is a secret, and appears in no message.

import { execa } from 'execa';
import { isJsonObject } from '../../build/contract/json.ts';
import type { Context } from '../io/context.ts';
import type { Environment } from '../io/environment.ts';
import { UsageError } from '../io/usage-error.ts';
import { receiveResponse } from '../remote/receive-response.ts';
import { RemoteFailure } from '../remote/remote.ts';

const variable = 'LIBRETTO_ID_TOKEN';
const answerTimeoutMs = 30_000;
const mostBytes = 100_000;

/** Throws UsageError for a job that has none, RemoteFailure if the CI system makes none. */
export async function idTokenFor(audience: string, { environment }: Pick<Context, 'environment'>): Promise<string> {
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
