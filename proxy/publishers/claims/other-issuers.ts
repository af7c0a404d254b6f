// The claims of Bitbucket Pipelines, CircleCI and Buildkite, and of any other issuer.

import { missing, named, textOf, type IdTokenClaims, type Job, type ReadJob, type WorkflowFile } from './job.ts';

const noWorkflow = (): WorkflowFile => ({ claim: 'workflow', value: null, path: null });
const unknownRef = { isTag: undefined, isProtected: undefined, protectedClaim: 'ref_protected' } as const;

function runOf(claims: IdTokenClaims, issuer: string, names: Partial<Record<keyof Job['run'], string>>): Job['run'] {
  const fact = (name: keyof Job['run']): string | null => {
    const claim = names[name];
    return claim === undefined ? null : textOf(claims, claim);
  };
  return {
    issuer,
    repository: fact('repository'),
    run_id: fact('run_id'),
    run_attempt: fact('run_attempt'),
    run_url: fact('run_url'),
    ref: fact('ref'),
    commit: fact('commit'),
    workflow: fact('workflow'),
  };
}

/** Its tokens have no names, only UUIDs in braces. */
export const readBitbucketJob: ReadJob = (claims, issuer) => ({
  repository: missing('repositoryUuid'),
  repositoryId: named(claims, 'repositoryUuid'),
  ownerId: named(claims, 'workspaceUuid'),
  environment: named(claims, 'deploymentEnvironmentUuid'),
  workflow: noWorkflow,
  ref: { ...named(claims, 'branchName'), ...unknownRef },
  refusals: [],
  run: runOf(claims, issuer, { repository: 'repositoryUuid', run_id: 'pipelineUuid', ref: 'branchName' }),
});

const circle = (name: string): string => `oidc.circleci.com/${name}`;

/** A job that a person entered by ssh proves nothing. */
export const readCircleJob: ReadJob = (claims, issuer) => {
  const ref = named(claims, circle('vcs-ref'));
  const [rerun, found] = [claims[circle('ssh-rerun')], textOf(claims, circle('ssh-rerun'))];
  return {
    repository: named(claims, circle('vcs-origin')),
    repositoryId: named(claims, circle('project-id')),
    ownerId: named(claims, circle('org-id')),
    environment: missing('environment'),
    workflow: noWorkflow,
    ref: { ...ref, ...unknownRef, isTag: ref.value === null ? undefined : ref.value.startsWith('refs/tags/') },
    refusals:
      rerun === true || found === 'true'
        ? [{ claim: circle('ssh-rerun'), expected: 'false: a job that nobody can enter by ssh', found: 'true' }]
        : [],
    run: runOf(claims, issuer, {
      repository: circle('vcs-origin'),
      run_id: circle('pipeline-id'),
      ref: circle('vcs-ref'),
    }),
  };
};

export const readBuildkiteJob: ReadJob = (claims, issuer) => {
  const [organization, pipeline] = [textOf(claims, 'organization_slug'), textOf(claims, 'pipeline_slug')];
  const repository = organization === null || pipeline === null ? null : `${organization}/${pipeline}`;
  const [tag, branch] = [textOf(claims, 'build_tag'), textOf(claims, 'build_branch')];
  const ref = tag === null ? branch : `refs/tags/${tag}`;
  return {
    repository: { claim: 'organization_slug/pipeline_slug', value: repository },
    repositoryId: named(claims, 'pipeline_id'),
    ownerId: named(claims, 'organization_id'),
    environment: missing('environment'),
    workflow: noWorkflow,
    ref: { claim: 'build_tag', value: ref, ...unknownRef, isTag: tag !== null },
    refusals: [],
    run: { ...runOf(claims, issuer, { run_id: 'build_number', commit: 'build_commit' }), repository, ref },
  };
};

export const readOtherJob: ReadJob = (claims, issuer) => ({
  repository: missing('repository'),
  repositoryId: missing('repository_id'),
  ownerId: missing('owner_id'),
  environment: missing('environment'),
  workflow: noWorkflow,
  ref: { claim: 'ref', value: null, ...unknownRef },
  refusals: [],
  run: runOf(claims, issuer, { repository: 'sub' }),
});
