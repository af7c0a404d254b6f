// The claims of GitLab CI/CD, of gitlab.com and of own instances.

import { flagOf, named, textOf, type IdTokenClaims, type Mismatch, type ReadJob } from './job.ts';

const refusedSources: ReadonlySet<string> = new Set(['merge_request_event', 'external_pull_request_event']);

export const readGitLabJob: ReadJob = (claims, issuer) => {
  const repository = named(claims, 'project_path');
  const [path, commit] = [textOf(claims, 'ref_path'), textOf(claims, 'sha')];
  const type = textOf(claims, 'ref_type');
  const config = textOf(claims, 'ci_config_ref_uri');
  const run = textOf(claims, 'pipeline_id');
  return {
    repository,
    repositoryId: named(claims, 'project_id'),
    ownerId: named(claims, 'namespace_id'),
    environment: named(claims, 'environment'),
    // any job of the pipeline can ask for an ID token, and the token names the first file alone
    workflow: () => ({
      claim: 'ci_config_ref_uri',
      value: config,
      path: fileOf(config, issuer, repository.value, [path, commit]),
    }),
    ref: {
      claim: 'ref',
      value: path ?? textOf(claims, 'ref'),
      isTag: type === null ? undefined : type === 'tag',
      isProtected: flagOf(claims, 'ref_protected'),
      protectedClaim: 'ref_protected',
    },
    refusals: [...sourceRefusal(claims), ...refRefusal(claims), ...forkRefusal(claims)],
    run: {
      issuer,
      repository: repository.value,
      run_id: run,
      run_attempt: textOf(claims, 'job_id'),
      run_url: repository.value === null || run === null ? null : pageOf(issuer, repository.value, run),
      ref: path ?? textOf(claims, 'ref'),
      commit,
      workflow: config,
    },
  };
};

function sourceRefusal(claims: IdTokenClaims): readonly Mismatch[] {
  const source = textOf(claims, 'pipeline_source');
  // the token of a child pipeline does not say what started its parent; a merge request has no protected ref
  const isUnclear = source === 'parent_pipeline' && flagOf(claims, 'ref_protected') !== true;
  if (source !== null && !refusedSources.has(source) && !isUnclear) return [];
  const expected = 'a pipeline that no merge request started, or a child pipeline of a protected ref';
  return [{ claim: 'pipeline_source', expected, found: source }];
}

/** Also of another source, and where a wildcard protects the ref: the commits of a merge request can be a stranger's. */
function refRefusal(claims: IdTokenClaims): readonly Mismatch[] {
  const found = ['ref_path', 'ref'].map((claim) => ({ claim, found: textOf(claims, claim) }));
  const refused = found.find(({ found: ref }) => ref?.startsWith('refs/merge-requests/') === true);
  return refused === undefined ? [] : [{ ...refused, expected: 'a branch or a tag, and no merge request' }];
}

/** A pipeline of a fork can run in the target project: `project_id` then names the fork, `job_project_id` the target. */
function forkRefusal(claims: IdTokenClaims): readonly Mismatch[] {
  const [project, place] = [textOf(claims, 'project_id'), textOf(claims, 'job_project_id')];
  if (place === null || place === project) return [];
  return [
    { claim: 'job_project_id', expected: `${project ?? 'none'}, as project_id: no pipeline of a fork`, found: place },
  ];
}

/** `gitlab.com/acme/app//.gitlab-ci.yml@refs/heads/main` → `.gitlab-ci.yml`; null in another project or at another ref. */
function fileOf(
  text: string | null,
  issuer: string,
  project: string | null,
  versions: readonly (string | null)[],
): string | null {
  if (text === null || project === null) return null;
  const place = `${issuer.replace(/^https?:\/\//, '')}/${project}//`;
  if (!text.toLowerCase().startsWith(place.toLowerCase())) return null;
  const rest = text.slice(place.length);
  const at = rest.indexOf('@');
  return at > 0 && versions.includes(rest.slice(at + 1)) ? rest.slice(0, at) : null;
}

function pageOf(issuer: string, project: string, pipeline: string): string | null {
  const isPlain = /^[\w./-]+$/.test(project) && /^\d+$/.test(pipeline);
  return isPlain ? `${issuer.replace(/\/+$/, '')}/${project}/-/pipelines/${pipeline}` : null;
}
