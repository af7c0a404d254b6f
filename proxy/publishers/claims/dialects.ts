// What differs between the kinds of issuers: how their claims are read, and what their tokens can prove. Pure.

import type { IssuerKind } from '../model/issuer.ts';
import type { RefRule, WorkflowClaim } from '../model/publisher.ts';
import { readGitLabJob } from './gitlab.ts';
import {
  type ReadJob,
  flagOf,
  named,
  textOf,
  type IdTokenClaims,
  type Job,
  type Mismatch,
  type WorkflowFile,
} from './job.ts';
import { readBitbucketJob, readBuildkiteJob, readCircleJob, readOtherJob } from './other-issuers.ts';

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

const readGitHubJob: ReadJob = (claims, issuer) => readJob(claims, issuer, ofGitHub);
const readForgejoJob: ReadJob = (claims, issuer) => readJob(claims, issuer, ofForgejo);

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

export interface IssuerDialect {
  readonly read: ReadJob;
  /** false: tokens carry no name of a repository, only its id */
  readonly hasNames: boolean;
  /** true: jobs of forks have the project's id, so the name counts beside the id, and is required */
  readonly forksShareIds: boolean;
  /** false: there are no ids of repositories either: publishers need rules for claims */
  readonly hasIds: boolean;
  readonly hasWorkflows: boolean;
  readonly hasEnvironments: boolean;
  /** the rules for refs that its tokens can prove, beside `any` */
  readonly refs: readonly RefRule[];
  /** GitHub's environments are the same in any case */
  readonly environmentsIgnoreCase: boolean;
  /** false: tokens may come without `jti`. The signed text of the token then stands for it */
  readonly hasTokenIds: boolean;
  /** true: the issuer writes `aud` as a list, also for one audience */
  readonly listsAudience: boolean;
}

const all = ['tags', 'protected', 'tags-or-protected'] as const;
const bare = {
  hasNames: true,
  forksShareIds: false,
  hasIds: true,
  hasWorkflows: false,
  hasEnvironments: false,
  environmentsIgnoreCase: false,
  hasTokenIds: true,
  listsAudience: false,
} as const;
const forge = { ...bare, hasWorkflows: true, hasEnvironments: true, refs: all } as const;

export const dialects: Readonly<Record<IssuerKind, IssuerDialect>> = {
  github: { ...forge, read: readGitHubJob, environmentsIgnoreCase: true },
  gitlab: { ...forge, read: readGitLabJob },
  forgejo: { ...forge, read: readForgejoJob, hasEnvironments: false, hasTokenIds: false },
  bitbucket: {
    ...bare,
    read: readBitbucketJob,
    hasNames: false,
    hasEnvironments: true,
    refs: [],
    hasTokenIds: false,
    listsAudience: true,
  },
  circleci: { ...bare, read: readCircleJob, forksShareIds: true, refs: ['tags'], hasTokenIds: false },
  buildkite: { ...bare, read: readBuildkiteJob, refs: ['tags'] },
  oidc: { ...bare, read: readOtherJob, hasNames: false, hasIds: false, refs: [], listsAudience: true },
};
