// The check of the policy's feeds: lists that wait for acceptance, feeds without a copy, and old copies. It reads the
// copies on this disk, and asks no feed.

import type { FeedView } from '../../proxy/policy/admin/policy-admin.ts';
import { counted } from '../io/output.ts';
import { failed, ok, skipped, warning, type Finding } from './finding.ts';

const name = 'policy.feed';
const hourMs = 3_600_000;
const oldMs = 24 * hourMs;

/** The findings of each feed with a problem, and one for all others. */
export function checkFeeds(feeds: readonly FeedView[], nowMs: number): readonly Finding[] {
  const found = feeds.map((feed) => ({ feed, findings: findingsOf(feed, nowMs) }));
  const sound = found.filter(({ findings }) => findings.length === 0).map(({ feed }) => soundText(feed, nowMs));
  return [...found.flatMap(({ findings }) => findings), ...(sound.length === 0 ? [] : [ok(name, sound.join('; '))])];
}

function findingsOf(feed: FeedView, nowMs: number): readonly Finding[] {
  const { id, url, rows, fetched_at: fetched, failing_since: since, problem, shrunk } = feed;
  const accept = `Look at the feed. If its list is right: \`libretto policy feeds --accept ${id}\`.`;
  const shrunkText =
    shrunk === null
      ? ''
      : `the feed ${id} had ${counted(shrunk.from, 'row')} and now has ${shrunk.to}; the former copy is used`;
  const alarm = shrunk === null ? [] : [warning(name, shrunkText, accept)];
  if (fetched === null && rows === 0) return [...alarm, withoutCopy(feed)];
  const last = fetched ?? since; // a part of it may be known since it fails
  if (last === null || nowMs - Date.parse(last) <= oldMs) return alarm;
  const age = fetched === null ? 'it was never read completely' : `its copy was read ${ageOf(fetched, nowMs)}`;
  const failing = since === null ? '' : `, and it fails since ${since}: ${sentenceOf(problem)}`;
  return [
    ...alarm,
    warning(
      name,
      `the feed ${id} is old: ${age}${failing}`,
      `Check whether a server runs, and whether it can reach ${url}. The last good copy is used.`,
    ),
  ];
}

function withoutCopy({ id, url, failing_since: since, problem }: FeedView): Finding {
  if (since === null && problem === null)
    return skipped(name, `the feed ${id} was not read yet; a running server reads it within a minute`);
  return failed(
    name,
    `there is no copy of the feed ${id}, so its advisories and filter lists block nothing: ${sentenceOf(problem)}`,
    `Make ${url} reachable from this server, and start the server. Or restore the folder \`feeds\` from a backup.`,
  );
}

function soundText({ id, rows, fetched_at: fetched, failing_since: since, problem }: FeedView, nowMs: number): string {
  const age = fetched === null ? 'not read completely yet' : `read ${ageOf(fetched, nowMs)}`;
  const failing = since === null ? '' : `, fails since ${since}`;
  return `the feed ${id} with ${counted(rows, 'row')}, ${age}${failing}${problem === null ? '' : `: ${sentenceOf(problem)}`}`;
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
