// The check of the policy: faults of the policy file, rules without effect, exceptions that end soon, and its feeds.

import { endOfException, type PolicyException, type Rule } from '../../proxy/policy/model/policy-document.ts';
import type { PolicyIssue } from '../../proxy/policy/model/parse-policy.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { counted } from '../io/output.ts';
import { openLocalPolicyAdmin } from '../policy-admin/local-policy-admin.ts';
import { PolicyFileError } from '../policy/policy-file.ts';
import { exceptionText, issueLine, remarkLine } from '../text/policy-text.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { failed, ok, warning, type Finding, skipped } from './finding.ts';
import type { FeedStatus } from '../../proxy/advisory-feeds/feed-lists.ts';

// The check of the policy's feeds: lists that wait for acceptance, feeds without a copy, damaged and old copies, feeds
// that fail, and packages without an answer. It reads the copies on this disk, and asks no feed.

const feedCheck = 'policy.feed';
const hourMs = 3_600_000;
const oldMs = 24 * hourMs;

/** The findings of each feed with a problem, and one for all others. */
function checkFeeds(feeds: readonly FeedStatus[], nowMs: number): readonly Finding[] {
  const found = feeds.map((feed) => ({ feed, findings: findingsOf(feed, nowMs) }));
  const sound = found.filter(({ findings }) => findings.length === 0).map(({ feed }) => soundText(feed, nowMs));
  return [
    ...found.flatMap(({ findings }) => findings),
    ...(sound.length === 0 ? [] : [ok(feedCheck, sound.join('; '))]),
  ];
}

function findingsOf(feed: FeedStatus, nowMs: number): readonly Finding[] {
  const alarm = shrunken(feed);
  if (feed.fetchedAt === null && feed.rows === 0) return [...alarm, withoutCopy(feed)];
  return [...alarm, ...damaged(feed), ...(aged(feed, nowMs) ?? failing(feed, nowMs)), ...unanswered(feed)];
}

function shrunken({ id, shrunk }: FeedStatus): readonly Finding[] {
  if (shrunk === null) return [];
  const text = `the feed ${id} had ${counted(shrunk.from, 'row')} and now has ${shrunk.to}; the former copy is used`;
  return [
    warning(feedCheck, text, `Look at the feed. If its list is right: \`libretto policy feeds --accept ${id}\`.`),
  ];
}

function withoutCopy({ id, url, failingSince, problem }: FeedStatus): Finding {
  if (failingSince === null && problem === null)
    return skipped(feedCheck, `the feed ${id} was not read yet; a running server reads it within a minute`);
  return failed(
    feedCheck,
    `there is no copy of the feed ${id}, so its advisories and filter lists block nothing: ${sentenceOf(problem)}`,
    `Make ${url} reachable from this server, and start the server. Or restore the folder \`feeds\` from a backup.`,
  );
}

function damaged({ id, url, fileProblem }: FeedStatus): readonly Finding[] {
  if (fileProblem === null) return [];
  return [
    warning(
      feedCheck,
      `the feed ${id} has a damaged file: ${sentenceOf(fileProblem)}`,
      `A running server writes it again within an hour, and a server that starts at once, if it reaches ${url}. ` +
        'If the fault comes back, check the disk.',
    ),
  ];
}

/** undefined: the copy is not old. */
function aged(feed: FeedStatus, nowMs: number): readonly Finding[] | undefined {
  const { id, url, fetchedAt, failingSince } = feed;
  const last = fetchedAt ?? failingSince; // a part of it may be known since it fails
  if (last === null || nowMs - Date.parse(last) <= oldMs) return undefined;
  const age = fetchedAt === null ? 'it was never read completely' : `its copy was read ${ageOf(fetchedAt, nowMs)}`;
  const fails = failingSince === null ? '' : `, and it ${failingText(feed)}`;
  const advice = `Check whether a server runs, and whether it can reach ${url}. The last good copy is used.`;
  return [warning(feedCheck, `the feed ${id} is old: ${age}${fails}`, advice)];
}

/** The first failures of a feed need no action: it is asked again. */
function failing(feed: FeedStatus, nowMs: number): readonly Finding[] {
  const { id, url, failingSince } = feed;
  if (failingSince === null || nowMs - Date.parse(failingSince) <= hourMs) return [];
  const text = `the feed ${id} ${failingText(feed)}`;
  return [warning(feedCheck, text, `Check whether this server can reach ${url}. The last good copy is used.`)];
}

function unanswered({ id, url, waiting }: FeedStatus): readonly Finding[] {
  const [first] = waiting;
  if (first === undefined) return [];
  const more = waiting.length === 1 ? '' : ` and ${waiting.length - 1} more`;
  return [
    warning(
      feedCheck,
      `the feed ${id} has not answered about ${counted(waiting.length, 'package')} yet, and blocks no version of ` +
        `${waiting.length === 1 ? 'it' : 'them'}: ${first}${more}`,
      `A running server asks again within a minute. If this stays, check whether the server can reach ${url}.`,
    ),
  ];
}

function failingText({ failingSince, problem }: FeedStatus): string {
  return `fails since ${failingSince ?? ''}: ${sentenceOf(problem)}`;
}

function soundText(feed: FeedStatus, nowMs: number): string {
  const { id, rows, fetchedAt, failingSince, problem } = feed;
  const age = fetchedAt === null ? 'not read completely yet' : `read ${ageOf(fetchedAt, nowMs)}`;
  const remark = problem === null ? '' : `: ${sentenceOf(problem)}`;
  const fails = failingSince === null ? '' : `, fails since ${failingSince}`;
  return `the feed ${id} with ${counted(rows, 'row')}, ${age}${fails}${remark}`;
}

function sentenceOf(problem: string | null): string {
  return problem === null ? 'the reason is unknown' : problem.replace(/\.$/, '');
}

function ageOf(at: string, nowMs: number): string {
  const ageMs = Math.max(0, nowMs - Date.parse(at));
  if (ageMs < hourMs) return 'less than an hour ago';
  const hours = Math.floor(ageMs / hourMs);
  return hours < 48 ? `${counted(hours, 'hour')} ago` : `${counted(Math.floor(hours / 24), 'day')} ago`;
}

const soonDays = 14;
const mostNamed = 10;
const name = 'policy';

/** Returns no finding for a registry without a policy. */
export async function check(config: Config, context: Context): Promise<readonly Finding[]> {
  const state = await openStateIfAny(config);
  if (state === undefined && config.policy.value === undefined) return [];
  const here = await openLocalPolicyAdmin(config, context, state);
  try {
    const { rules, exceptions } = await here.policy.get();
    if (rules.length === 0) return [];
    const given = JSON.parse(JSON.stringify({ rules, exceptions })) as never;
    const { remarks } = await here.policy.check(given);
    const nowMs = context.now().getTime();
    const problems = [
      ...ending(exceptions, nowMs),
      // an exception that ended is a finding of its own
      ...remarked(remarks.filter(({ path }) => !path.endsWith('.until'))),
    ];
    return [
      ...(problems.length > 0 ? problems : [ok(name, `${counted(rules.length, 'rule')} can be used`)]),
      ...(rules.some(readsFeeds) ? checkFeeds(here.feeds(), nowMs) : []),
    ];
  } catch (error) {
    if (error instanceof PolicyFileError) return faults(error, config);
    throw error;
  } finally {
    await here.close();
    await state?.close();
  }
}

/** A running server keeps its last good policy; a server does not start with the file. */
function faults({ issues }: PolicyFileError, { policy }: Pick<Config, 'policy'>): readonly Finding[] {
  return issues
    .slice(0, mostNamed)
    .map((issue) =>
      failed(
        name,
        `${policy.value ?? ''}: ${issueLine(issue)}`,
        'Correct the file; `libretto policy check` shows all faults. A running server uses the last good policy.',
      ),
    );
}

function ending(exceptions: readonly PolicyException[], nowMs: number): readonly Finding[] {
  return exceptions
    .map((exception) => ({ exception, leftMs: endOfException(exception) - nowMs }))
    .filter(({ leftMs }) => leftMs <= soonDays * 86_400_000)
    .slice(0, mostNamed)
    .map(({ exception, leftMs }) =>
      warning(
        name,
        `the exception ${exceptionText(exception)} ${leftMs <= 0 ? 'has ended' : `ends in ${daysText(leftMs)}`}`,
        `Ask ${exception.owner} whether it is still needed. Then renew it in the policy, or remove it.`,
      ),
    );
}

function readsFeeds({ rule }: Rule): boolean {
  return rule === 'advisories' || rule === 'filter';
}

function daysText(leftMs: number): string {
  return leftMs < 86_400_000 ? 'less than a day' : counted(Math.floor(leftMs / 86_400_000), 'day');
}

function remarked(remarks: readonly PolicyIssue[]): readonly Finding[] {
  return remarks
    .slice(0, mostNamed)
    .map((remark) =>
      warning(name, remarkLine(remark), 'Correct the policy, if this is not what you want: `libretto policy check`.'),
    );
}
