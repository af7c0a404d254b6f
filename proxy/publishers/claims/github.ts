// The claims of GitHub Actions, also of GitHub Enterprise; and of Forgejo Actions, which took over their names, without
// `job_workflow_ref`, `environment` and `jti`. `sub` is not used: its form changed in 2026, and a repository can change
// it.

import type { WorkflowClaim } from '../model/publisher.ts';
import {
  flagOf,
  named,
  textOf,
  type IdTokenClaims,
  type Job,
  type Mismatch,
  type ReadJob,
  type WorkflowFile,
} from './job.ts';

/** They run with the rights of the repository, and strangers start them: with a fork, an issue or a comment. */
const refusedEvents: ReadonlySet<string> = new Set([
  'pull_request_target',
  'workflow_run',
  'issue_comment',
  'issues',
  'discussion_comment',
  'discussion',
]);

interface Workflows {
  /** the folders with a folder `workflows` */
  readonly folders: readonly string[];
  readonly claims: Readonly<Record<WorkflowClaim, string>>;
}

const ofGitHub: Workflows = { folders: ['.github'], claims: { job: 'job_workflow_ref', caller: 'workflow_ref' } };
const ofForgejo: Workflows = {
  folders: ['.forgejo', '.github', '.gitea'],
  claims: { job: 'workflow_ref', caller: 'workflow_ref' },
};

export const readGitHubJob: ReadJob = (claims, issuer) => readJob(claims, issuer, ofGitHub);
export const readForgejoJob: ReadJob = (claims, issuer) => readJob(claims, issuer, ofForgejo);

function readJob(claims: IdTokenClaims, issuer: string, workflows: Workflows): Job {
  const repository = named(claims, 'repository');
  const type = textOf(claims, 'ref_type');
  const refOfJob = textOf(claims, 'ref');
  const workflow = (which: WorkflowClaim): WorkflowFile => {
    const claim = workflows.claims[which];
    const { value } = named(claims, claim);
    return {
      claim,
      value,
      path: fileOf(value, repository.value, [refOfJob, textOf(claims, 'sha')], workflows.folders),
    };
  };
  return {
    repository,
    repositoryId: named(claims, 'repository_id'),
    ownerId: named(claims, 'repository_owner_id'),
    environment: named(claims, 'environment'),
    workflow,
    ref: {
      claim: 'ref',
      value: refOfJob,
      isTag: type === null ? undefined : type === 'tag',
      isProtected: flagOf(claims, 'ref_protected'),
      protectedClaim: 'ref_protected',
    },
    refusals: refusalsOf(claims),
    run: {
      issuer,
      repository: repository.value,
      run_id: textOf(claims, 'run_id'),
      run_attempt: textOf(claims, 'run_attempt'),
      run_url: runUrl(issuer, repository.value, textOf(claims, 'run_id')),
      ref: refOfJob,
      commit: textOf(claims, 'sha'),
      workflow: textOf(claims, workflows.claims.job),
    },
  };
}

function refusalsOf(claims: IdTokenClaims): readonly Mismatch[] {
  const event = textOf(claims, 'event_name');
  if (event !== null && !refusedEvents.has(event)) return [];
  const refused = [...refusedEvents].join(', ');
  const expected = `an event that strangers cannot start with the rights of the repository, so none of ${refused}`;
  return [{ claim: 'event_name', expected, found: event }];
}

/** `acme/app/.github/workflows/release.yml@refs/tags/v1` → `.github/workflows/release.yml`; null in another place. */
function fileOf(
  text: string | null,
  repository: string | null,
  versions: readonly (string | null)[],
  folders: readonly string[],
): string | null {
  const at = text?.indexOf('@') ?? -1;
  if (text === null || repository === null || at === -1) return null;
  const [place, version] = [text.slice(0, at), text.slice(at + 1)];
  const isOwn = place.toLowerCase().startsWith(`${repository.toLowerCase()}/`);
  const path = place.slice(repository.length + 1);
  const isWorkflow = folders.some((folder) => path.startsWith(`${folder}/workflows/`));
  return isOwn && isWorkflow && versions.includes(version) ? path : null;
}

const publicIssuer = 'https://token.actions.githubusercontent.com';

function runUrl(issuer: string, repository: string | null, run: string | null): string | null {
  if (repository === null || run === null || !/^\d+$/.test(run) || !/^[\w.-]+\/[\w.-]+$/.test(repository)) return null;
  const isPublic = issuer === publicIssuer || issuer.startsWith(`${publicIssuer}/`);
  return `${isPublic ? 'https://github.com' : new URL(issuer).origin}/${repository}/actions/runs/${run}`;
}
