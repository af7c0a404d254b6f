// The mirror at a glance: alarms, the registries that it asks, and what it keeps and holds back of them;
// and the register of the pages about packages of other registries.

import type { Child } from 'hono/jsx';
import type { MirrorRegistry, MirrorReport } from '../../../mirror/mirror-report.ts';
import type { MirrorAlarm } from '../../../mirror/recent-alarms.ts';
import type { PolicyAdmin } from '../../../policy/admin/policy-admin.ts';
import { malwareByPackage, type WithMalware } from '../../../usage/read-exposures.ts';
import { settingPage } from '../../../settings/setting-groups.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { A, PageHead } from '../../components/place.tsx';
import { isRepositoryId } from '../../../sync/repository.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { AlarmList } from './alarm-list.tsx';
import { parseMirrorQuery, packagesPerPage, selectStoredPackages } from './mirror-query.ts';
import { StoredPackages, type StoredPackagesProps } from './stored-packages.tsx';
import { publicRegistry } from '../../../mirror/rules/upstream-problems.ts';
import { Badge } from '../../components/badge.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { registerStoredPackage } from './stored-package.tsx';

async function showMirror(services: MirrorPageServices, request: SignedInRequest): Promise<PageView> {
  const { mirrorReport: report } = services;
  const malware = await malwareByPackage(services, request.caller.view);
  const registries = (await report?.registries()) ?? [];
  const content =
    report === undefined || registries.length === 0 ? (
      <MirrorOff isMissing={report === undefined} mayChange={request.may('updateSettings')} />
    ) : (
      <Mirror
        registries={registries}
        alarms={[...malwareAlarms([...malware.values()].flat(), request.nowMs), ...report.alarms()]}
        stored={await readStored(report, malware, request)}
      />
    );
  return { title: 'Mirror', section: 'mirror', content };
}

async function readStored(
  report: MirrorReport,
  malware: Awaited<ReturnType<typeof malwareByPackage>>,
  { query: given, nowMs }: SignedInRequest,
): Promise<StoredPackagesProps> {
  const query = parseMirrorQuery(given);
  const packages = await report.packages(nowMs);
  const found = selectStoredPackages(packages, query);
  const from = (query.page - 1) * packagesPerPage;
  const rows = await Promise.all(
    found
      .slice(from, from + packagesPerPage)
      .map(async (one) => ({ ...one, malware: malware.get(one.name), archives: await report.archives(one.name) })),
  );
  return { query, rows, found: found.length, total: packages.length, reading: await report.firstReading() };
}

function malwareAlarms(malware: NonNullable<WithMalware['malware']>, lastMs: number): readonly MirrorAlarm[] {
  const message = 'it is malware, and no rule of the policy refuses it';
  const mirrored = malware.filter(({ origin, refused }) => origin === 'mirrored' && !refused);
  return mirrored.map(({ name, version }) => ({ kind: 'alarm', about: `${name} ${version}`, message, lastMs }));
}

interface MirrorProps {
  readonly registries: readonly MirrorRegistry[];
  readonly alarms: readonly MirrorAlarm[];
  readonly stored: StoredPackagesProps;
}

function Mirror({ registries, alarms, stored }: MirrorProps): Child {
  return (
    <>
      <PageHead title="Mirror" sentence="Packages of other registries that this one stores, checks and serves." />
      <AlarmList alarms={alarms} />
      <RegistryList registries={registries} />
      <StoredPackages {...stored} />
    </>
  );
}

interface MirrorOffProps {
  /** true: the server runs without the feature */
  readonly isMissing: boolean;
  readonly mayChange: boolean;
}

function MirrorOff({ isMissing, mayChange }: MirrorOffProps): Child {
  return (
    <>
      <PageHead title="Mirror" sentence="Packages of other registries that this one stores, checks and serves." />
      <EmptyState
        icon="layers"
        title="Nothing is mirrored"
        action={
          isMissing || !mayChange ? undefined : (
            <ButtonLink to={settingPage('mirroring.enabled')} kind="primary" label="Turn on mirroring" />
          )
        }
      >
        {isMissing ? (
          <>
            The server runs without its feature <code>mirror</code>. Add it to the setting <code>features</code>, and
            restart the server.
          </>
        ) : (
          <>
            With <code>mirroring.enabled</code>, Composer gets public packages from here, and they stay available.{' '}
            {mayChange ? '' : 'An admin can turn it on in the settings.'}
          </>
        )}
      </EmptyState>
    </>
  );
}

// The registries that the mirror asks, in their order.

function RegistryList({ registries }: { readonly registries: readonly MirrorRegistry[] }): Child {
  return (
    <section class="stack-tight">
      <h2>Registries</h2>
      <p class="soft">A package comes from the first registry that has it.</p>
      <Table caption="Registries" columns={columns} rows={registries} />
    </section>
  );
}

const columns: readonly Column<MirrorRegistry>[] = [
  { label: 'Address', cell: ({ url }) => <span class="breaks">{url}</span> },
  {
    label: 'Name',
    cell: ({ id }) =>
      id === publicRegistry ? (
        'the public registry'
      ) : isRepositoryId(id) ? (
        <A to={`/repositories/${id}`}>the registered repository</A>
      ) : (
        <code class="breaks">{id}</code>
      ),
  },
  { label: 'Packages', cell: (registry) => <span class="breaks">{filterText(registry)}</span> },
  {
    label: 'State',
    cell: ({ problem }) =>
      problem === undefined ? (
        <Badge kind="good" label="in use" />
      ) : (
        <div class="stack-tight">
          <Badge kind="bad" icon="circle-x" label="not used" />
          <span class="small prose">{problem}</span>
        </div>
      ),
  },
];

function filterText({ allow, deny }: MirrorRegistry): string {
  const allowed = allow.length === 0 ? 'all' : allow.join(', ');
  return deny.length === 0 ? allowed : `${allowed}, except ${deny.join(', ')}`;
}

export interface MirrorPageServices {
  /** undefined: the server runs without the feature `mirror` */
  readonly mirrorReport: MirrorReport | undefined;
  readonly policyAdmin: PolicyAdmin;
}

export function registerMirrorPages(pages: Pages, services: MirrorPageServices): void {
  pages.page({ path: '/mirror', operation: 'listMirrored', show: (request) => showMirror(services, request) });
  registerStoredPackage(pages, services.mirrorReport);
}
