// Reads what the overview shows, as far as its visitor may know it.

import { undefinedIf } from '../../../../build/contract/errors.ts';
import { createCallerTokens, type CallerTokensOptions } from '../../../auth/caller-tokens.ts';
import { actorOf } from '../../../auth/caller.ts';
import { connectionProblems } from '../../../forges/model/connection-problems.ts';
import type { Inspection } from '../../../inspection/inspection.ts';
import type { MirrorReport } from '../../../mirror/mirror-report.ts';
import { endpointProblems } from '../../../notifications/endpoints/endpoint-problems.ts';
import { measureDisks, type DiskSpace } from '../../../core/observe/storage.ts';
import type { Downloads } from '../../../packages/downloads.ts';
import { readStatus, type Status, type StatusOptions } from '../../../status/status.ts';
import type { Actor } from '../../../state/audit.ts';
import { describeRepositories, type DescriptionParts } from '../../../sync/describe-repositories.ts';
import { readMalware } from '../../../usage/read-exposures.ts';
import type { UsageServices } from '../../../usage/read-usage.ts';
import type { Repositories } from '../../../sync/repositories.ts';
import type { RepositoryDocument } from '../../../sync/repository-schema.ts';
import { everyDay, type DayCount } from '../../components/day-chart.tsx';
import type { Permission } from '../../../auth/permissions.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { changesSomething } from '../history/history.tsx';
import { describePublications, type DescribedPublication } from '../history/described-publication.ts';
import { readLeftOut } from './left-out.ts';
import { needsOf, type Need, type NeedFacts } from './needs.ts';

export interface OverviewServices
  extends Omit<StatusOptions, 'published' | 'state'>, CallerTokensOptions, UsageServices {
  readonly repositoriesOf: (actor: Actor) => Pick<Repositories, 'list'>;
  readonly jobs: DescriptionParts['jobs'];
  /** installs that clients reported */
  readonly installs: Pick<Downloads, 'byDay'>;
  readonly inspection: () => Promise<Inspection>;
  /** undefined: nothing is mirrored here */
  readonly mirrorReport: Pick<MirrorReport, 'alarms'> | undefined;
}

/** What needs the visitor, with the facts that the overview shows too. */
interface Needs {
  readonly needs: readonly Need[];
  readonly status: Status;
  /** undefined: the visitor may not know, or the data folder is on another host */
  readonly disks: readonly DiskSpace[] | undefined;
  /** the number of versions that the sources have and nobody gets */
  readonly leftOut: number;
}

export interface Overview extends Needs {
  /** of the last 30 days */
  readonly installs: readonly DayCount[];
  /** the last publications; undefined: they are recorded on another host */
  readonly publications: readonly DescribedPublication[] | undefined;
}

const shownDays = 30;
const shownPublications = 5;
/** some of them changed no package */
const lookedAt = 20;

export async function readOverview(services: OverviewServices, request: SignedInRequest): Promise<Overview> {
  const [found, installs, publications] = await Promise.all([
    readNeeds(services, request),
    services.installs.byDay(),
    readPublications(services, await services.inspection(), request),
  ]);
  const counts = [...installs].map(([date, count]) => ({ date, count }));
  return { ...found, installs: everyDay(counts, shownDays, request.nowMs), publications };
}

/** pages that not everybody may open */
const limited: Readonly<Record<string, Permission>> = { '/health': 'getHealth', '/security': 'listExposures' };

export async function readNeeds(services: OverviewServices, request: SignedInRequest): Promise<Needs> {
  const { nowMs, may } = request;
  const repositories = await readRepositories(services, request);
  const [inspection, status, leftOut, more] = await Promise.all([
    services.inspection(),
    readStatus(services, nowMs),
    readLeftOut(services.published, repositories, services.dataDirectory),
    readFacts(services, request),
  ]);
  const facts: NeedFacts = {
    ...more,
    leftOut,
    repositories,
    lastBuild: status.last_build,
    damaged: status.counts.damaged_packages,
    upstreams: status.mirror.problems,
    alarms: (services.mirrorReport?.alarms() ?? []).filter(({ kind }) => kind === 'alarm'),
    countsAlone: status.counters === 'local',
    findings: may('getHealth') ? inspection.health.last()?.findings : undefined,
  };
  const needs = needsOf(facts, nowMs).map(({ to, ...need }) =>
    to === undefined || !may(limited[to] ?? 'listPackages') ? need : { ...need, to },
  );
  return { needs, status, disks: facts.disks, leftOut: leftOut.length };
}

async function readRepositories(
  { repositoriesOf, jobs }: OverviewServices,
  { caller }: SignedInRequest,
): Promise<readonly RepositoryDocument[]> {
  const repositories = repositoriesOf(actorOf(caller));
  const records = await repositories.list();
  return describeRepositories({ repositories, jobs }, records, records);
}

/** The facts that cost a look of their own. */
async function readFacts(
  services: OverviewServices,
  { may, caller, nowMs }: SignedInRequest,
): Promise<Pick<NeedFacts, 'tokens' | 'disks' | 'connections' | 'endpoints' | 'malware' | 'held'>> {
  const { dataDirectory } = services;
  const [tokens, disks, connections, endpoints, malware, held] = await Promise.all([
    may('listTokens') ? createCallerTokens(services, caller).list() : undefined,
    may('getHealth') && dataDirectory !== undefined ? measureDisks(dataDirectory) : undefined,
    may('listConnections') ? connectionProblems(services.state) : undefined,
    may('listEndpoints') ? endpointProblems(services.state, nowMs) : undefined,
    readMalware(services, { caller, nowMs }),
    may('replacePolicy') ? services.policyAdmin.heldSoon() : undefined,
  ]);
  const known = may('listExposures') ? malware : malware?.length;
  return { tokens, disks, connections, endpoints, malware: known, held: held?.releases };
}

async function readPublications(
  { state }: OverviewServices,
  { publications }: Inspection,
  request: SignedInRequest,
): Promise<Overview['publications']> {
  const found = await publications.list({ limit: lookedAt }).catch(undefinedIf('NOT_AVAILABLE'));
  if (found === undefined) return undefined;
  const described = await describePublications(state, found.publications, request);
  return described.filter(changesSomething).slice(0, shownPublications);
}
