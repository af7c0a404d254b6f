// Trusted publishers for the registry of test/util/filled-registry.ts: one with jobs, and one without.

import type { ManagedRegistry } from './managed-registry.ts';
import type { OidcIssuer } from './oidc-issuer.ts';
import { githubClaims } from './publisher-claims.ts';

type Json = Record<string, unknown>;

export interface FilledPublishers {
  /** with the tokens of two jobs */
  readonly publisher: string;
  /** the secret of the last job: it may publish `acme/uploaded` */
  readonly jobToken: string;
}

const ownClaim = { [`claim_${'very_'.repeat(12)}long`]: 'x'.repeat(80) };

const releasesOf = (repository: string): Json => ({
  purpose: 'publish',
  name: `Release of ${repository}`,
  repository,
  workflow: 'release.yml',
  environment: 'release',
  claims: { runner_environment: 'github-hosted', ...ownClaim },
  packages: ['acme/uploaded', 'acme/not-there-yet'],
});

const tests = {
  issuer: 'gitlab',
  purpose: 'read',
  name: 'Tests of the shop',
  repository: 'acme/tools/shop',
  repository_id: '300',
  owner_id: '30',
  packages: ['acme/*'],
  constraints: { 'acme/billing': '<3.0' },
  stability: 'stable',
  not_after: '2035-01-31',
};

/** `issuer`: GitHub's, in the setting oidcIssuers. `project`: the name of the repository whose jobs publish. */
export async function addPublishers(
  registry: ManagedRegistry,
  issuer: OidcIssuer,
  project: string,
): Promise<FilledPublishers> {
  const repository = `acme/${project}`;
  const { id } = await post(registry, '/api/publishers', { ...releasesOf(repository), issuer: issuer.url });
  await post(registry, '/api/publishers', tests);
  await registry.api('PATCH', '/api/settings', {
    publishing: { keyless_only: ['acme/not-there-*', `other/${'x'.repeat(80)}`] },
  });
  const exchange = async (run: string): Promise<string> => {
    const { audience: aud } = (await registry.api('GET', '/api/oidc/audience')).json;
    const workflow = `${repository}/.github/workflows/release.yml@refs/tags/v1.2.0`;
    const job = { aud, repository, run_id: run, workflow_ref: workflow, job_workflow_ref: workflow, ...ownClaim };
    const token = await issuer.sign(githubClaims({ issuer: issuer.url, nowMs: Date.now() }, job));
    return String((await post(registry, '/api/oidc/token', { token }))['token']);
  };
  await exchange('5000');
  return { publisher: String(id), jobToken: await exchange('5001') };
}

async function post(registry: ManagedRegistry, path: string, body: Json): Promise<Json> {
  const { status, json } = await registry.api('POST', path, body);
  if (status !== 201) throw new Error(`${path} was refused: ${JSON.stringify(json)}`);
  return json;
}
