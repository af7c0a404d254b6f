// The claims of CI jobs in tests, as GitHub Actions and GitLab CI/CD write them.

import { randomUUID } from 'node:crypto';

export const audience = 'https://packages.test';

export interface JobTimes {
  readonly issuer: string;
  readonly nowMs: number;
}

function standard({ issuer, nowMs }: JobTimes): Record<string, unknown> {
  const now = Math.floor(nowMs / 1000);
  return { iss: issuer, aud: audience, jti: randomUUID(), iat: now, nbf: now, exp: now + 300, sub: 'changes often' };
}

/** A release job of acme/app, for the tag v1.2.0. */
export function githubClaims(times: JobTimes, over: object = {}): Record<string, unknown> {
  return {
    ...standard(times),
    repository: 'acme/app',
    repository_id: '1001',
    repository_owner: 'acme',
    repository_owner_id: '77',
    ref: 'refs/tags/v1.2.0',
    ref_type: 'tag',
    ref_protected: 'false',
    sha: 'a'.repeat(40),
    event_name: 'push',
    workflow_ref: 'acme/app/.github/workflows/release.yml@refs/tags/v1.2.0',
    job_workflow_ref: 'acme/app/.github/workflows/release.yml@refs/tags/v1.2.0',
    environment: 'release',
    run_id: '5000',
    run_attempt: '1',
    runner_environment: 'github-hosted',
    ...over,
  };
}

/** A pipeline of acme/tools/lib on its protected branch main. */
export function gitlabClaims(times: JobTimes, over: object = {}): Record<string, unknown> {
  const host = times.issuer.replace(/^https?:\/\//, '');
  return {
    ...standard(times),
    project_id: '300',
    project_path: 'acme/tools/lib',
    namespace_id: '30',
    namespace_path: 'acme/tools',
    job_project_id: '300',
    pipeline_id: '900',
    pipeline_source: 'push',
    job_id: '901',
    ref: 'main',
    ref_type: 'branch',
    ref_path: 'refs/heads/main',
    ref_protected: 'true',
    environment: 'production',
    sha: 'b'.repeat(40),
    ci_config_ref_uri: `${host}/acme/tools/lib//.gitlab-ci.yml@refs/heads/main`,
    ...over,
  };
}

/** A step of Bitbucket Pipelines with the one audience of its file, which Bitbucket writes as a list. */
export function bitbucketClaims(times: JobTimes, over: object = {}): Record<string, unknown> {
  const { jti: _jti, nbf: _nbf, ...claims } = standard(times);
  return {
    ...claims,
    aud: [audience],
    sub: `${bitbucketRepository}:{step}`,
    repositoryUuid: bitbucketRepository,
    workspaceUuid: '{03b741e3-cf4a-41f9-9a59-cec52e21bdc3}',
    pipelineUuid: '{91ad9b94-0a17-4c51-8d52-20a49d4e4d8f}',
    stepUuid: `{${randomUUID()}}`,
    branchName: 'main',
    ...over,
  };
}

export const bitbucketRepository = '{d4e45493-4a33-477d-917b-a24e7e4bd39b}';
