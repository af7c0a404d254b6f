// Checks the rules of a publisher together: they must name one repository, and the tokens of its issuer must be able to
// prove them.

import { invalidInput, type FieldFault } from '../../../build/contract/errors.ts';
import { dialects } from '../claims/dialects.ts';
import { kindTitles, parseIssuer, type Issuer } from '../model/issuer.ts';
import { type Purpose, type PublisherRecord, type RefRule, standardMinutes } from '../model/publisher.ts';

/** Throws INVALID_INPUT for an issuer that the operator does not accept. */
export function chosenIssuer(issuers: readonly Issuer[], text: string): Issuer {
  const wanted = parseIssuer(text)?.url ?? text;
  const exact = issuers.find(({ url }) => url === wanted);
  const ofKind = issuers.filter(({ kind }) => kind === text);
  const found = exact ?? (ofKind.length === 1 ? ofKind[0] : undefined);
  if (found !== undefined) return found;
  const known = issuers.map(({ url }) => url).join(', ');
  throw invalidInput({
    path: 'issuer',
    message:
      ofKind.length > 1
        ? `names several issuers; write one of ${ofKind.map(({ url }) => url).join(', ')}`
        : `is not accepted here; accepted: ${known === '' ? 'none' : known}. The setting oidcIssuers adds others`,
  });
}

/** Publishing begins with tags and protected branches, where the issuer tells them apart. */
export function standardRefs(purpose: Purpose, { kind }: Issuer): RefRule {
  if (purpose === 'read' || kind === 'oidc') return 'any';
  const { refs } = dialects[kind];
  return refs.includes('tags-or-protected') || refs.length === 0 ? 'tags-or-protected' : (refs[0] ?? 'any');
}

/** Throws INVALID_INPUT with every fault. */
export function assertRules(record: PublisherRecord): void {
  const issues = [...identityIssues(record), ...unprovable(record), ...refIssues(record), ...minuteIssues(record)];
  if (issues.length > 0) throw invalidInput(...issues);
}

function identityIssues({
  kind,
  repository,
  repository_id: id,
  owner_id: owner,
  claims,
}: PublisherRecord): FieldFault[] {
  const { hasNames, hasIds, forksShareIds } = dialects[kind];
  const title = kindTitles[kind];
  if (!hasIds) {
    const needless = Object.entries({ repository, repository_id: id, owner_id: owner });
    return [
      ...needless.flatMap(([path, value]) =>
        value === null ? [] : [{ path, message: `is unknown for the kind ${kind}: write a rule for a claim instead` }],
      ),
      ...(Object.keys(claims).length > 0
        ? []
        : [{ path: 'claims', message: 'must have a rule that names the job, such as {"sub": "…"}' }]),
    ];
  }
  const issues: FieldFault[] = [];
  if ('sub' in claims)
    issues.push({ path: 'claims.sub', message: `is no identity at ${title}: name the repository and its id` });
  if (!hasNames && repository !== null)
    issues.push({ path: 'repository', message: `is not in the tokens of ${title}: give the id of the repository` });
  if (!hasNames && id === null) issues.push({ path: 'repository_id', message: `is required for ${title}` });
  if (hasNames && repository === null && (id === null || forksShareIds))
    issues.push({
      path: 'repository',
      message: forksShareIds
        ? `must name the repository, such as github.com/acme/app: at ${title} the jobs of forks have the same id`
        : 'must name the repository of the jobs, such as acme/app',
    });
  if (forksShareIds && repository !== null && !/^[^/]+\.[^/]+\/[^/]+\/./.test(repository))
    issues.push({ path: 'repository', message: `needs its host at ${title}, such as github.com/acme/app` });
  return issues;
}

function unprovable({ kind, workflow, environment }: PublisherRecord): FieldFault[] {
  const { hasWorkflows, hasEnvironments } = dialects[kind];
  const message = `is not in the tokens of ${kindTitles[kind]}: leave it out, or write a rule for a claim`;
  return [
    ...(workflow !== null && !hasWorkflows ? [{ path: 'workflow', message }] : []),
    ...(environment !== null && !hasEnvironments ? [{ path: 'environment', message }] : []),
  ];
}

function refIssues({ kind, refs }: PublisherRecord): FieldFault[] {
  const provable = dialects[kind].refs;
  if (refs === 'any' || provable.includes(refs)) return [];
  const others = provable.length === 0 ? '' : ` or ${provable.join(' or ')}`;
  return [
    {
      path: 'refs',
      message:
        `cannot be ${refs}: the tokens of ${kindTitles[kind]} do not prove it. Write any${others}, and limit the ` +
        'branch with a rule for a claim',
    },
  ];
}

function minuteIssues({ purpose, token_minutes: minutes }: PublisherRecord): FieldFault[] {
  const most = standardMinutes[purpose];
  return minutes <= most
    ? []
    : [{ path: 'token_minutes', message: `may be at most ${most} for the purpose ${purpose}` }];
}
