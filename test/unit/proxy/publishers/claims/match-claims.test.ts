// Tests the matching of claims: every combination of rules and jobs against a model that is written independently, as a
// list of reasons to refuse.

import { describe, expect, it } from 'vitest';
import { matchClaims } from '../../../../../proxy/publishers/claims/match-claims.ts';
import type { PublisherRules } from '../../../../../proxy/publishers/model/publisher.ts';
import { githubClaims, gitlabClaims } from '../../../../util/publisher-claims.ts';
import { sampleOf } from '../../../../util/series.ts';

const issuer = 'https://token.actions.githubusercontent.com';
const rules: PublisherRules = {
  issuer,
  kind: 'github',
  repository: 'acme/app',
  repository_id: null,
  owner_id: null,
  workflow: null,
  workflow_claim: 'job',
  environment: null,
  refs: 'any',
  claims: {},
};
const wrong = (over: Partial<PublisherRules>, claims: object): readonly (string | null)[] =>
  matchClaims({ ...rules, ...over }, githubClaims({ issuer, nowMs: 0 }, claims)).mismatches.map(({ claim }) => claim);

/** All combinations of one value from each list. */
function combinations<Options extends Record<string, readonly unknown[]>>(
  options: Options,
): readonly { [Name in keyof Options]: Options[Name][number] }[] {
  return Object.entries(options).reduce<Record<string, unknown>[]>(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  ) as { [Name in keyof Options]: Options[Name][number] }[];
}

const ruleSpace = combinations({
  repository_id: [null, '1001'],
  owner_id: [null, '77'],
  workflow: [null, 'release.yml', '.github/workflows/release.yml'],
  workflow_claim: ['job', 'caller'],
  environment: [null, 'Release'],
  refs: ['tags', 'protected', 'tags-or-protected', 'any'],
} as const);

const jobSpace = combinations({
  repository: ['acme/app', 'Acme/APP', 'evil/app', undefined],
  repository_id: ['1001', undefined],
  repository_owner_id: ['77', '8'],
  started: ['own', 'other file', 'other ref'],
  ran: ['own', 'reusable of others'],
  environment: ['release', undefined],
  ref_type: ['tag', 'branch'],
  ref_protected: ['false', true],
  event_name: ['push', 'pull_request_target', 'workflow_run', undefined],
} as const);

type Rule = (typeof ruleSpace)[number];
type Chosen = (typeof jobSpace)[number];

/** The claims that contradict the rules, by the words of the specification alone. */
function model(rule: Rule, job: Chosen): Set<string> {
  const found = new Set<string>();
  const named = job.repository?.toUpperCase() === 'ACME/APP';
  if (job.event_name !== 'push') found.add('event_name');
  if (rule.repository_id === null && !named) found.add('repository');
  if (rule.repository_id === null && job.repository_id === undefined) found.add('repository_id');
  if (rule.repository_id !== null && job.repository_id !== '1001') found.add('repository_id');
  if (rule.owner_id !== null && job.repository_owner_id !== '77') found.add('repository_owner_id');
  if (rule.workflow !== null) {
    const isRight = rule.workflow_claim === 'job' ? job.ran === 'own' : job.started === 'own';
    if (!isRight || job.repository === undefined)
      found.add(rule.workflow_claim === 'job' ? 'job_workflow_ref' : 'workflow_ref');
  }
  if (rule.environment !== null && job.environment !== 'release') found.add('environment');
  const [tag, guarded] = [job.ref_type === 'tag', String(job.ref_protected) === 'true'];
  const isAllowed = rule.refs === 'any' || (rule.refs !== 'protected' && tag) || (rule.refs !== 'tags' && guarded);
  if (!isAllowed) found.add('ref');
  return found;
}

function claimsOf({ started, ran, ...job }: Chosen): Record<string, unknown> {
  const repository = job.repository ?? 'acme/app';
  const file = started === 'other file' ? 'test.yml' : 'release.yml';
  const at = started === 'other ref' ? 'refs/heads/old' : 'refs/tags/v1.2.0';
  return githubClaims(
    { issuer, nowMs: 0 },
    {
      ...job,
      workflow_ref: `${repository}/.github/workflows/${file}@${at}`,
      job_workflow_ref:
        ran === 'own'
          ? `${repository}/.github/workflows/release.yml@refs/tags/v1.2.0`
          : 'others/ci/.github/workflows/release.yml@refs/tags/v1.2.0',
    },
  );
}

const jobsOfRules = sampleOf(jobSpace, 5);

it(`${ruleSpace.length} sets of rules and ${jobsOfRules.length} jobs agree with the model in every combination`, () => {
  const jobs = jobsOfRules.map((job) => ({ job, claims: claimsOf(job) }));
  const faults: unknown[] = [];
  for (const rule of ruleSpace) {
    for (const { job, claims } of jobs) {
      const found = new Set(matchClaims({ ...rules, ...rule }, claims).mismatches.map(({ claim }) => claim));
      if ([...found].toSorted().join() !== [...model(rule, job)].toSorted().join())
        faults.push([rule, job, [...found]]);
    }
  }
  expect(faults.slice(0, 3)).toEqual([]);
});

describe('a job of GitHub Actions', () => {
  it('of a repository that took over a name is refused by the pinned id, with both ids', () => {
    expect(
      matchClaims({ ...rules, repository_id: '1001' }, githubClaims({ issuer, nowMs: 0 }, { repository_id: '2002' })),
    ).toEqual({
      isOfRepository: true,
      mismatches: [{ claim: 'repository_id', expected: '1001', found: '2002' }],
    });
  });

  it('of a renamed repository is accepted while the id is the same', () => {
    const renamed = {
      repository: 'acme/new-name',
      job_workflow_ref: 'acme/new-name/.github/workflows/release.yml@refs/tags/v1.2.0',
    };
    expect(wrong({ repository_id: '1001', workflow: 'release.yml' }, renamed)).toEqual([]);
  });

  it.each([
    'acme/app/.github/workflows/release.yml',
    'acme/app/release.yml@refs/tags/v1.2.0',
    'acme/app/.github/workflows/other-release.yml@refs/tags/v1.2.0',
    'acme/app/.github/workflows/release.yml@refs/tags/v1.2.0@refs/tags/v9',
    'acme/app-evil/.github/workflows/release.yml@refs/tags/v1.2.0',
    'evil/acme/app/.github/workflows/release.yml@refs/tags/v1.2.0',
    '',
  ])('whose workflow is %j is refused', (job_workflow_ref) => {
    expect(wrong({ workflow: 'release.yml' }, { job_workflow_ref })).toEqual(['job_workflow_ref']);
  });

  it('may name its workflow at the commit', () => {
    const job_workflow_ref = `acme/app/.github/workflows/release.yml@${'a'.repeat(40)}`;
    expect(wrong({ workflow: 'release.yml' }, { job_workflow_ref })).toEqual([]);
  });

  it('must have each extra claim exactly', () => {
    const claims = { runner_environment: 'github-hosted', sha: 'a'.repeat(40) };
    expect(wrong({ claims }, {})).toEqual([]);
    expect(wrong({ claims }, { runner_environment: 'self-hosted' })).toEqual(['runner_environment']);
    expect(wrong({ claims }, { runner_environment: ['github-hosted'] })).toEqual(['runner_environment']);
    expect(wrong({ claims: { toString: 'x' } }, {})).toEqual(['toString']);
  });
});

describe('a pipeline of GitLab', () => {
  const at = { issuer: 'https://gitlab.example.org', nowMs: 0 };
  const own: Partial<PublisherRules> = {
    issuer: at.issuer,
    kind: 'gitlab',
    repository: 'acme/tools/lib',
    workflow: '.gitlab-ci.yml',
    environment: 'production',
    refs: 'protected',
  };
  const refused = (over: Partial<PublisherRules>, claims: object): readonly (string | null)[] =>
    matchClaims({ ...rules, ...own, ...over }, gitlabClaims(at, claims)).mismatches.map(({ claim }) => claim);

  it.each([
    ['of its branch', {}, []],
    [
      'of a fork',
      { project_id: '666', project_path: 'evil/lib' },
      ['job_project_id', 'project_path', 'ci_config_ref_uri'],
    ],
    ['of a merge request', { pipeline_source: 'merge_request_event' }, ['pipeline_source']],
    ['of a child pipeline of a protected branch', { pipeline_source: 'parent_pipeline' }, []],
    [
      'of a child pipeline of another branch',
      { pipeline_source: 'parent_pipeline', ref_protected: 'false' },
      ['pipeline_source', 'ref'],
    ],
    ['without a source', { pipeline_source: undefined }, ['pipeline_source']],
    ['of an unprotected branch', { ref_protected: 'false' }, ['ref']],
    [
      'whose file is of another project',
      { ci_config_ref_uri: 'gitlab.example.org/evil/x//.gitlab-ci.yml@refs/heads/main' },
      ['ci_config_ref_uri'],
    ],
    [
      'whose file is of another host',
      { ci_config_ref_uri: 'gitlab.com/acme/tools/lib//.gitlab-ci.yml@refs/heads/main' },
      ['ci_config_ref_uri'],
    ],
    [
      'whose file is of another branch',
      { ci_config_ref_uri: 'gitlab.example.org/acme/tools/lib//.gitlab-ci.yml@refs/heads/x' },
      ['ci_config_ref_uri'],
    ],
    ['of another environment in other letters', { environment: 'Production' }, ['environment']],
  ])('%s is judged', (_which, claims, expected) => {
    expect(refused({}, claims)).toEqual(expected);
  });

  it('of a project that took over a path is refused by the pinned id', () => {
    expect(refused({ repository_id: '300', owner_id: '30' }, { project_id: '301', job_project_id: '301' })).toEqual([
      'project_id',
    ]);
    expect(refused({ repository_id: '300', owner_id: '30' }, { namespace_id: '31' })).toEqual(['namespace_id']);
  });
});

describe('jobs of other CI systems', () => {
  const judged = (over: Partial<PublisherRules>, claims: object): readonly (string | null)[] =>
    matchClaims({ ...rules, repository: null, ...over }, { ...claims }).mismatches.map(({ claim }) => claim);

  it('Bitbucket names repositories by UUID', () => {
    const uuid = '{11111111-1111-1111-1111-111111111111}';
    const claims = { repositoryUuid: uuid, workspaceUuid: '{w}', branchName: 'main' };
    expect(judged({ kind: 'bitbucket', repository_id: uuid, claims: { branchName: 'main' } }, claims)).toEqual([]);
    expect(judged({ kind: 'bitbucket', repository_id: '{2}' }, claims)).toEqual(['repositoryUuid']);
  });

  it('CircleCI names projects by id, and a job that a person entered by ssh is refused', () => {
    const claims = {
      'oidc.circleci.com/project-id': 'p1',
      'oidc.circleci.com/vcs-origin': 'github.com/acme/app',
      'oidc.circleci.com/vcs-ref': 'refs/tags/v1',
      'oidc.circleci.com/ssh-rerun': false,
    };
    const circle = { kind: 'circleci', repository: 'github.com/acme/app', repository_id: 'p1', refs: 'tags' } as const;
    expect(judged(circle, claims)).toEqual([]);
    // a fork has the id of the project
    expect(judged(circle, { ...claims, 'oidc.circleci.com/vcs-origin': 'github.com/evil/app' })).toEqual([
      'oidc.circleci.com/vcs-origin',
    ]);
    const entered = { ...claims, 'oidc.circleci.com/ssh-rerun': true, 'oidc.circleci.com/vcs-ref': 'refs/heads/x' };
    expect(judged(circle, entered)).toEqual(['oidc.circleci.com/ssh-rerun', 'oidc.circleci.com/vcs-ref']);
  });

  it('Buildkite names pipelines by organization and pipeline', () => {
    const claims = {
      organization_slug: 'acme',
      pipeline_slug: 'app',
      pipeline_id: 'p-1',
      build_tag: 'v1',
      build_branch: 'main',
    };
    expect(judged({ kind: 'buildkite', repository: 'ACME/app', refs: 'tags' }, claims)).toEqual([]);
    expect(
      judged({ kind: 'buildkite', repository: 'acme/other', refs: 'tags' }, { ...claims, build_tag: null }),
    ).toEqual(['organization_slug/pipeline_slug', 'build_tag']);
  });

  it('Forgejo has the claims of GitHub, workflows in its own folder, and names only the file that was started', () => {
    const claims = githubClaims(
      { issuer: 'https://code.example.org/api/actions', nowMs: 0 },
      { workflow_ref: 'acme/app/.forgejo/workflows/release.yml@refs/tags/v1.2.0', job_workflow_ref: undefined },
    );
    const forgejo = { kind: 'forgejo', repository: 'acme/app', workflow: 'release.yml' } as const;
    expect(judged(forgejo, claims)).toEqual([]);
    expect(judged({ ...forgejo, workflow: 'other.yml' }, claims)).toEqual(['workflow_ref']);
    expect(
      judged({ ...forgejo, repository_id: '1001', refs: 'protected' }, { ...claims, ref_protected: true }),
    ).toEqual([]);
    expect(judged({ ...forgejo, kind: 'github', workflow_claim: 'caller' }, claims)).toEqual(['workflow_ref']);
  });

  it('any other issuer is judged by the rules for claims alone', () => {
    const other = { kind: 'oidc', claims: { sub: 'job:1', team: 'core' } } as const;
    expect(matchClaims({ ...rules, ...other, repository: null }, { sub: 'job:1', team: 'x' })).toEqual({
      isOfRepository: true,
      mismatches: [{ claim: 'team', expected: 'core', found: 'x' }],
    });
    expect(matchClaims({ ...rules, ...other, repository: null }, { sub: 'job:2' }).isOfRepository).toBe(false);
  });
});
