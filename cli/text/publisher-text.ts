// The text of trusted publishers, and of what an ID token would get, on the command line. Pure.

import { describeLimits, summarizeLimits } from '../../proxy/auth/token-limit-text.ts';
import type { Mismatch } from '../../proxy/publishers/claims/job.ts';
import { kindTitles } from '../../proxy/publishers/model/issuer.ts';
import type { PublisherView } from '../../proxy/publishers/model/publisher.ts';
import type { ExplanationDocument, PublisherDocument } from '../../proxy/publishers/records/publisher-schema.ts';
import { counted, formatFields, formatTable } from '../io/output.ts';

export function describePublishers(publishers: readonly PublisherDocument[]): string[] {
  const rows = publishers.map((publisher) => {
    const { id, name, kind, purpose, last_exchange_at: last } = publisher;
    const view = summarizeLimits({ ...publisher, networks: null });
    return [id, name, kindTitles[kind], purpose, view, last === null ? 'never' : seconds(last)];
  });
  return formatTable(['ID', 'NAME', 'ISSUER', 'PURPOSE', 'PACKAGES', 'LAST EXCHANGE'], rows);
}

export function describePublisher(publisher: PublisherDocument): string[] {
  const { id, name, kind, issuer, purpose, exchanges, last_exchange_at: last, last_run: run } = publisher;
  return formatFields([
    ['id', id],
    ['name', name],
    [
      'issuer',
      `${issuer} (${kindTitles[kind]})${publisher.issuer_accepted ? '' : ': the setting oidcIssuers lacks it'}`,
    ],
    ['purpose', purpose],
    ...rulesOf(publisher),
    ...limitsOf(publisher),
    ['token lives', counted(publisher.token_minutes, 'minute')],
    ['exchanges', `${exchanges.used} of ${exchanges.limit} in this hour`],
    ['last exchange', last === null ? 'never' : seconds(last)],
    ...(run === null ? [] : [['last job', jobText(run)] as const]),
    ['made', `${seconds(publisher.created_at)} by ${publisher.created_by}`],
  ]);
}

type Field = readonly [string, string];

function rulesOf(publisher: PublisherDocument): readonly Field[] {
  const { repository, workflow, workflow_claim: claim, environment, refs, claims } = publisher;
  const which = claim === 'job' ? 'the file that runs' : 'the file that was started';
  return [
    ...(repository === null ? [] : [['repository', repository] as const]),
    ...(publisher.ids === 'none' ? [] : [['ids', idsText(publisher)] as const]),
    ['workflow', workflow === null ? 'any' : `${workflow} (${which})`],
    ['environment', environment ?? 'any'],
    ['refs', refs],
    ...Object.entries(claims).map(([name, value]) => [`claim ${name}`, value] as const),
  ];
}

function idsText(publisher: PublisherDocument): string {
  const { ids, ids_learnt_at: at, repository_id: id, owner_id: owner, shared_repository_id: shared } = publisher;
  if (shared !== null) return `repository ${shared} (pinned by another publisher of this repository)`;
  if (ids === 'unknown') return 'not known yet: the first exchange pins them';
  const text = [id === null ? '' : `repository ${id}`, owner === null ? '' : `owner ${owner}`]
    .filter(Boolean)
    .join(', ');
  return at === null ? text : `${text} (pinned by the exchange of ${seconds(at)})`;
}

function limitsOf(view: PublisherView): readonly Field[] {
  const limits = describeLimits({ ...view, networks: null });
  return view.packages === null ? [['packages', 'all'], ...limits] : limits;
}

type Run = NonNullable<ExplanationDocument['run']>;

function jobText({ repository, ref, run_id: id, run_url: url }: Run): string {
  return [repository ?? 'an unknown repository', ref, url ?? (id === null ? null : `run ${id}`)]
    .filter(Boolean)
    .join(', ');
}

export function describeExplanation(explanation: ExplanationDocument): string[] {
  const { verified, problem, issuer, run, publishers } = explanation;
  return [
    ...formatFields([
      ['issuer', issuer ?? 'none that this registry accepts'],
      ...(run === null ? [] : [['job', jobText(run)] as const]),
      ['ID token', problem ?? (verified ? 'good' : 'not verified')],
    ]),
    ...(issuer === null ? [] : ['']),
    ...(issuer !== null && publishers.length === 0 ? ['There is no trusted publisher of this issuer.'] : []),
    ...publishers.flatMap(describeVerdict),
  ];
}

function describeVerdict(publisher: ExplanationDocument['publishers'][number]): string[] {
  const { id, name, purpose, accepts, mismatches, token, of_repository: isOwn } = publisher;
  const title = `${id} (${name}, ${purpose})`;
  if (token !== null) {
    const limits = limitsOf(token).map(([label, value]) => `  ${label}: ${value}`);
    return [`${title} gives a ${token.kind} token for ${counted(token.minutes, 'minute')}:`, ...limits];
  }
  if (accepts) return [`${title} accepts the job, but not this ID token: see above.`];
  const other = isOwn ? '' : ' The job is of another repository.';
  return [`${title} does not accept the job.${other}`, ...mismatches.map(mismatchText)];
}

/** `  environment: expected release, found nothing` */
function mismatchText({ claim, expected, found }: Mismatch): string {
  return `  ${claim}: expected ${expected}, found ${found === null ? 'nothing' : JSON.stringify(found)}`;
}

/** 2027-01-31T00:00:00.000Z → 2027-01-31T00:00:00Z */
function seconds(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
