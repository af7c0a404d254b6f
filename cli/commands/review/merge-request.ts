// Which merge request a CI job works for, by the variables of its CI system, and how the forge's API names the comments
// of it. The variables are parsed: nothing but a checked address, name and number reaches a request. Pure.

import { parseUrl } from '../../../build/contract/parse-url.ts';
import { Secret } from '../../../build/shared/text/secret.ts';
import type { Environment } from '../../io/environment.ts';
import { oneLine } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';

export interface MergeRequest {
  /** the address of the list of its comments */
  readonly comments: string;
  /** of one comment, which is renewed with `renews` */
  readonly commentAt: (id: number) => string;
  readonly renews: 'PATCH' | 'PUT';
  /** the header that has the token, and its value: it goes into requests to the forge alone */
  readonly credential: readonly [header: 'authorization' | 'private-token', value: Secret];
  /** how many comments of a page are asked for: `per_page`, or Gitea's `limit` */
  readonly pageSize: string;
}

/** Throws UsageError outside a job for a merge request, and for variables that are none. */
export function mergeRequestOf(environment: Environment): MergeRequest {
  if (environment['GITLAB_CI'] !== undefined) return ofGitLab(environment);
  if (environment['GITHUB_ACTIONS'] !== undefined) return ofActions(environment);
  throw new UsageError(
    '--comment works in a job of GitHub Actions, Gitea or Forgejo Actions, or GitLab CI. Elsewhere use --markdown.',
  );
}

/** Gitea and Forgejo set the variables of GitHub, and have its paths. */
function ofActions(environment: Environment): MergeRequest {
  const isGitea = environment['GITEA_ACTIONS'] !== undefined || environment['FORGEJO_ACTIONS'] !== undefined;
  const api = addressIn('GITHUB_API_URL', environment);
  const project = textIn('GITHUB_REPOSITORY', /^[\w.-]+\/[\w.-]+$/, environment);
  const number = /^refs\/pull\/([1-9]\d{0,9})\/(?:merge|head)$/.exec(environment['GITHUB_REF'] ?? '')?.[1];
  if (number === undefined)
    throw new UsageError('This job is not for a pull request: GITHUB_REF names none. Run it on `pull_request`.');
  const token = tokenIn('GITHUB_TOKEN', environment);
  const issues = `${api}/repos/${project}/issues`;
  return {
    comments: `${issues}/${number}/comments`,
    commentAt: (id) => `${issues}/comments/${id}`,
    renews: 'PATCH',
    credential: ['authorization', new Secret(`${isGitea ? 'token' : 'Bearer'} ${token}`)],
    pageSize: isGitea ? 'limit=50' : 'per_page=100',
  };
}

/** The token of a GitLab job may not write comments, so that a project's token is wanted. */
function ofGitLab(environment: Environment): MergeRequest {
  const api = addressIn('CI_API_V4_URL', environment);
  const project = textIn('CI_MERGE_REQUEST_PROJECT_ID', /^[1-9]\d{0,14}$/, environment);
  const number = textIn('CI_MERGE_REQUEST_IID', /^[1-9]\d{0,9}$/, environment);
  const notes = `${api}/projects/${project}/merge_requests/${number}/notes`;
  return {
    comments: notes,
    commentAt: (id) => `${notes}/${id}`,
    renews: 'PUT',
    credential: ['private-token', new Secret(tokenIn('GITLAB_TOKEN', environment))],
    pageSize: 'per_page=100',
  };
}

function addressIn(variable: string, environment: Environment): string {
  const url = parseUrl(environment[variable] ?? '');
  const isPlain = url !== undefined && url.username === '' && url.search === '' && url.hash === '';
  if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) return url.href.replace(/\/+$/, '');
  throw new UsageError(`${variable} has no address of the forge's API, such as https://api.github.com.`);
}

function textIn(variable: string, pattern: RegExp, environment: Environment): string {
  const text = environment[variable] ?? '';
  const isDots = text.split('/').some((part) => part === '.' || part === '..');
  if (pattern.test(text) && !isDots) return text;
  throw new UsageError(
    `${variable} is ${text === '' ? 'not set: run this in a job for a merge request' : `unusable: ${oneLine(text)}`}.`,
  );
}

function tokenIn(variable: string, environment: Environment): string {
  const token = environment[variable] ?? '';
  if (/^[\x21-\x7e]{1,4000}$/.test(token)) return token;
  throw new UsageError(
    `${variable} has no token. Nothing was sent. Give it a token that may write comments on merge requests.`,
  );
}
