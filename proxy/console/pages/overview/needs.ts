// What needs a person's attention, the worst first: the one answer that the overview and the page “Status” give. Pure.

import type { LastBuild } from '../../../../build/contract/last-build.ts';
import { daysBeforeEnd, type TokenRecord } from '../../../core/tokens/token.ts';
import type { MirrorAlarm } from '../../../mirror/recent-alarms.ts';
import type { EndpointProblem } from '../../../notifications/endpoints/endpoint-problems.ts';
import { problemTitles, type ConnectionProblem } from '../../../forges/model/connection-problems.ts';
import type { UpstreamProblem } from '../../../mirror/rules/upstream-problems.ts';
import { exhaustedBytes, scarceBytes, type DiskSpace } from '../../../core/observe/storage.ts';
import { listShortly } from '../../../../build/shared/text/list-shortly.ts';
import type { HeldRelease } from '../../../policy/admin/held-in-package.ts';
import type { HealthFinding } from '../../../inspection/health.ts';
import type { RepositoryDocument } from '../../../sync/repository-schema.ts';
import { withCapital } from '../../components/page-words.ts';
import { formatCount, formatBytes, relativeTime } from '../../components/values.tsx';
import { placeOf, repositoryName } from '../source-names.ts';
import { findingNeeds, type Need } from './finding-needs.ts';
import type { LeftOutVersion } from './left-out.ts';
import { malwareNeeds, type KnownMalware } from './malware-needs.ts';

export type { Need } from './finding-needs.ts';

/** The areas of the page “Status”, with the beginnings of the addresses where they are repaired. */
export const areas = {
  Sources: ['/repositories', '/connections', '/uploads'],
  Packages: ['/packages', '/policy', '/security'],
  'Other registries': ['/mirror'],
  Access: ['/tokens', '/publishers', '/people'],
  Notifications: ['/notifications'],
  Server: ['/health', '/settings'],
} as const;

/** What the visitor may know; undefined: they may not. */
export interface NeedFacts {
  readonly repositories: readonly RepositoryDocument[];
  /** undefined: the visitor may not see connections */
  readonly connections: readonly ConnectionProblem[] | undefined;
  /** undefined: the visitor may not see endpoints */
  readonly endpoints: readonly EndpointProblem[] | undefined;
  readonly lastBuild: LastBuild | null;
  /** the number of published packages with a missing or damaged file */
  readonly damaged: number;
  readonly leftOut: readonly LeftOutVersion[];
  readonly tokens: readonly TokenRecord[] | undefined;
  readonly upstreams: readonly UpstreamProblem[];
  /** what other registries sent, and what was refused */
  readonly alarms: readonly MirrorAlarm[];
  readonly disks: readonly DiskSpace[] | undefined;
  readonly malware: KnownMalware;
  /** undefined: unknown, or the visitor may not change the policy */
  readonly held: readonly Pick<HeldRelease, 'name' | 'version'>[] | undefined;
  /** true: the shared counters cannot be reached */
  readonly countsAlone: boolean;
  /** what the last check of the health found; undefined: there was none, or the visitor may not know */
  readonly findings: readonly HealthFinding[] | undefined;
}

/** of one kind; a sentence counts the others */
const maxOfKind = 5;

export function needsOf(facts: NeedFacts, nowMs: number): readonly Need[] {
  const failing = facts.repositories.filter(({ status }) => status === 'error');
  const needs = [
    ...(facts.disks ?? []).flatMap(diskNeed),
    ...atMost(malwareNeeds(facts.malware), 'more version is malware', 'more versions are malware', '/security'),
    ...buildNeeds(facts, failing.length),
    ...atMost(failing.map(repositoryNeed), 'more repository fails', 'more repositories fail', '/repositories'),
    ...connectionNeeds(facts.connections ?? []),
    ...atMost(
      (facts.endpoints ?? []).map(endpointNeed),
      'more endpoint is notified of nothing',
      'more endpoints are notified of nothing',
      '/notifications',
    ),
    ...heldNeeds(facts.held ?? []),
    ...facts.upstreams.map(({ upstream, message }) => ({
      kind: 'warn' as const,
      title: `The registry ${upstream} is not used`,
      detail: message,
      to: '/mirror',
    })),
    ...alarmNeeds(facts.alarms),
    ...atMost(
      facts.leftOut.map(leftOutNeed),
      'more version was left out',
      'more versions were left out',
      '/repositories',
    ),
    ...tokenNeeds(facts.tokens ?? [], nowMs),
    ...findingNeeds(facts.findings ?? [], facts.repositories),
  ];
  return needs.toSorted((one, other) => Number(one.kind === 'warn') - Number(other.kind === 'warn'));
}

function diskNeed({ folder, acceptsWrites, bytes }: DiskSpace): readonly Need[] {
  const title = `The disk of ${folder === 'data' ? 'the data folder' : `the folder ${folder}`}`;
  const served = 'Packages are served, and changes fail.';
  if (!acceptsWrites) return [{ kind: 'bad', title: `${title} is full or read-only`, detail: served, to: '/health' }];
  if (bytes === undefined || bytes.available >= scarceBytes) return [];
  const detail = `${formatBytes(bytes.available)} of ${formatBytes(bytes.size)} are free. Free disk space before changes fail.`;
  return [
    {
      kind: bytes.available < exhaustedBytes ? 'bad' : 'warn',
      title: `${title} is nearly full`,
      detail,
      to: '/health',
    },
  ];
}

function buildNeeds({ lastBuild, damaged, countsAlone }: NeedFacts, failing: number): readonly Need[] {
  const needs: Need[] = [];
  if (lastBuild?.outcome === 'failed')
    needs.push({
      kind: 'bad',
      title: 'The last build failed',
      detail: 'Published versions stay available.',
      to: '/health',
    });
  const unread = lastBuild?.failed_sources ?? 0;
  if (unread > failing)
    needs.push({
      kind: 'bad',
      title: `The last build could not read ${formatCount(unread, 'source')}`,
      detail:
        'Versions published from there stay available. The output of `libretto build` names sources of libretto.json.',
      area: 'Sources',
      // no page changes a source of libretto.json
      ...(failing > 0 && { to: '/repositories' }),
    });
  if (damaged > 0)
    needs.push({
      kind: 'bad',
      title: `${formatCount(damaged, 'package')} cannot be read`,
      detail: 'A file is missing or damaged. `libretto verify` names the repair.',
      to: '/packages',
    });
  if (countsAlone)
    needs.push({
      kind: 'warn',
      title: 'The shared counters cannot be reached',
      detail: 'Each process counts requests alone, so that limits are less exact. Start Redis again.',
      to: '/health',
    });
  return needs;
}

function heldNeeds(held: NonNullable<NeedFacts['held']>): readonly Need[] {
  if (held.length === 0) return [];
  const names = held.map(({ name, version }) => `${name} ${version}`);
  return [
    {
      kind: 'warn',
      title: formatCount(held.length, 'release is held', 'releases are held'),
      detail: `Clients do not get ${listShortly(names)} until time or a person decides.`,
      to: '/policy',
    },
  ];
}

function alarmNeeds(alarms: readonly MirrorAlarm[]): readonly Need[] {
  const needs = alarms.map(({ about, message }) => ({
    kind: 'bad' as const,
    title: `Alarm about ${about}`,
    detail: message,
    to: '/mirror',
  }));
  return atMost(needs, 'more alarm about other registries', 'more alarms about other registries', '/mirror');
}

function repositoryNeed({ error_message: message, ...repository }: RepositoryDocument): Need {
  const name = repositoryName(repository);
  return {
    kind: 'bad',
    title: `The repository ${name} fails`,
    // git adds a slash to the address
    detail: (message ?? 'Its last sync failed.')
      .replaceAll(`${repository.url ?? name}/`, name)
      .replaceAll(repository.url ?? name, name),
    to: `/repositories/${repository.id}`,
  };
}

function connectionNeeds(problems: readonly ConnectionProblem[]): readonly Need[] {
  const needs = problems.map(({ connection: { id, owner }, kind, message }) => ({
    kind: kind === 'failed' ? ('bad' as const) : ('warn' as const),
    title: `The connection to ${owner} ${problemTitles[kind]}`,
    detail: message,
    to: `/connections/${id}`,
  }));
  return atMost(needs, 'more problem of connections', 'more problems of connections', '/connections');
}

/** The page “Why” of a package names its source; without a name, the page of a repository has the reason. */
function leftOutNeed({ name, version, where, source, repository, message }: LeftOutVersion): Need {
  const query = version === null ? '' : `?${new URLSearchParams({ version })}`;
  const place = placeOf(where, source);
  const isConfigured = name === null && repository === undefined;
  const advice = isConfigured
    ? ' Its source is in `sources` of libretto.json, or was given to `libretto build`: correct it there, and ' +
      'build again.'
    : '';
  // no page changes a configured source
  const to = name !== null ? `/packages/${name}/why${query}` : isConfigured ? undefined : `/repositories/${repository}`;
  return {
    kind: 'warn',
    area: 'Sources',
    title: `${name === null ? place : [name, version].filter((text) => text !== null).join(' ')} was left out`,
    detail:
      name === null || message.startsWith(where)
        ? `${message.replaceAll(where, place)}${advice}`
        : `${withCapital(message)} Found at ${place}.`,
    ...(to === undefined ? {} : { to }),
  };
}

function tokenNeeds(tokens: readonly TokenRecord[], nowMs: number): readonly Need[] {
  const ending = tokens
    .flatMap((token) =>
      daysBeforeEnd(token, nowMs) === undefined ? [] : { ...token, endMs: Date.parse(token.expires_at ?? '') },
    )
    .toSorted((one, other) => one.endMs - other.endMs)
    .map(({ id, description, endMs }) => ({
      kind: 'warn' as const,
      title: `The token “${description}” ends ${relativeTime(endMs, nowMs)}`,
      detail: 'Give it a later end, or make another token.',
      to: `/tokens/${id}`,
    }));
  return atMost(ending, 'more token ends within 14 days', 'more tokens end within 14 days', '/tokens');
}

/** `one`, `many`: the words for those that are left out. `to`: the list of all. */
function atMost(needs: readonly Need[], one: string, many: string, to: string): readonly Need[] {
  const last = needs[maxOfKind];
  if (last === undefined) return needs;
  const title = formatCount(needs.length - maxOfKind, one, many);
  return [...needs.slice(0, maxOfKind), { kind: last.kind, title, detail: 'The list names them.', to }];
}

// The notification endpoints that need a person's attention. Pure.

const titles: Readonly<Record<EndpointProblem['kind'], string>> = {
  gone: 'wants no more notifications',
  'token ended': 'is notified of nothing: its token ended',
  paused: 'does not get its notifications',
};

function endpointNeed({ endpoint: { id, name }, kind, message }: EndpointProblem): Need {
  return { kind: 'warn', title: `${name} ${titles[kind]}`, detail: message, to: `/notifications/${id}` };
}
