// Decides whether a job may exchange its ID token at a publisher. A name counts only until an id is pinned: whoever
// takes over a name that became free has another id. Pure.

import type { PublisherRules } from '../model/publisher.ts';
import { dialects } from './dialects.ts';
import { textOf, type IdTokenClaims, type Job, type Mismatch, type NamedClaim } from './job.ts';

export interface Match {
  /** false: the job is of another repository */
  readonly isOfRepository: boolean;
  /** empty: the job may exchange */
  readonly mismatches: readonly Mismatch[];
}

/** The issuers are the same already. */
export function matchClaims(rules: PublisherRules, claims: IdTokenClaims): Match {
  const job = dialects[rules.kind].read(claims, rules.issuer);
  return {
    isOfRepository: isOfRepository(rules, job, claims),
    mismatches: [
      ...job.refusals,
      ...identityMismatches(rules, job),
      ...workflowMismatches(rules, job),
      ...environmentMismatches(rules, job),
      ...refMismatches(rules, job),
      ...claimMismatches(rules, claims),
    ],
  };
}

/**
 * By id or by name, so that the owner of a repository that was made anew reads why it is refused. Where rules for
 * claims alone name the job, one of them must hold.
 */
function isOfRepository(
  { repository, repository_id: id, claims: rules }: PublisherRules,
  job: Job,
  claims: IdTokenClaims,
): boolean {
  if (repository === null && id === null)
    return claimMismatches({ claims: rules }, claims).length < Object.keys(rules).length;
  return (id !== null && id === job.repositoryId.value) || isSameName(repository, job.repository.value);
}

function isSameName(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one.toLowerCase() === other.toLowerCase();
}

function identityMismatches(rules: PublisherRules, job: Job): readonly Mismatch[] {
  const { repository, repository_id: id, owner_id: owner } = rules;
  const isNamed = id === null || dialects[rules.kind].forksShareIds;
  return [
    ...(isNamed ? nameMismatch(repository, job.repository) : []),
    ...(id === null ? idMismatch(repository, job.repositoryId) : exactly(id, job.repositoryId)),
    ...(owner === null ? [] : exactly(owner, job.ownerId)),
  ];
}

function nameMismatch(repository: string | null, { claim, value }: NamedClaim): readonly Mismatch[] {
  return repository === null || isSameName(repository, value) ? [] : [{ claim, expected: repository, found: value }];
}

/** A name is trusted only together with an id, which the exchange pins. */
function idMismatch(repository: string | null, { claim, value }: NamedClaim): readonly Mismatch[] {
  if (repository === null || value !== null) return [];
  return [{ claim, expected: 'the id of the repository, which the first exchange pins', found: null }];
}

function exactly(expected: string, { claim, value }: NamedClaim): readonly Mismatch[] {
  return value === expected ? [] : [{ claim, expected, found: value }];
}

/** A rule with a slash is a whole path. */
function workflowMismatches({ workflow, workflow_claim: which }: PublisherRules, job: Job): readonly Mismatch[] {
  if (workflow === null) return [];
  const { claim, value, path } = job.workflow(which);
  const found = workflow.includes('/') ? path : path?.slice(path.lastIndexOf('/') + 1);
  if (found === workflow) return [];
  return [{ claim, expected: `the file ${workflow} of the job's own repository, at the job's own ref`, found: value }];
}

function environmentMismatches({ environment, kind }: PublisherRules, job: Job): readonly Mismatch[] {
  if (environment === null) return [];
  const { value } = job.environment;
  if (dialects[kind].environmentsIgnoreCase && isSameName(environment, value)) return [];
  return exactly(environment, job.environment);
}

function refMismatches({ refs }: PublisherRules, { ref }: Job): readonly Mismatch[] {
  const [isTag, isProtected] = [ref.isTag === true, ref.isProtected === true];
  const isAllowed = {
    any: true,
    tags: isTag,
    protected: isProtected,
    'tags-or-protected': isTag || isProtected,
  }[refs];
  if (isAllowed) return [];
  const shown = ref.value === null ? null : `${ref.value}${isTag ? ', a tag' : isProtected ? ', protected' : ''}`;
  const expected = {
    any: '',
    tags: 'a tag',
    protected: `a protected branch or tag (${ref.protectedClaim} true)`,
    'tags-or-protected': `a tag, or a protected branch (${ref.protectedClaim} true)`,
  }[refs];
  return [{ claim: ref.claim, expected, found: shown }];
}

function claimMismatches(
  { claims: rules }: Pick<PublisherRules, 'claims'>,
  claims: IdTokenClaims,
): readonly Mismatch[] {
  return Object.entries(rules).flatMap(([claim, expected]) => {
    const value = claims[claim];
    const found = typeof value === 'boolean' ? String(value) : textOf(claims, claim);
    return found === expected ? [] : [{ claim, expected, found }];
  });
}
