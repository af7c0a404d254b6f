// The mirror at a glance: alarms, the registries that it asks, and what it keeps and holds back of them.

import type { Child } from 'hono/jsx';
import type { MirrorRegistry, MirrorReport } from '../../../mirror/mirror-report.ts';
import type { MirrorAlarm } from '../../../mirror/recent-alarms.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { AlarmList } from './alarm-list.tsx';
import { parseMirrorQuery, packagesPerPage, selectPackages } from './mirror-query.ts';
import { RegistryList } from './registry-list.tsx';
import { StoredPackages, type StoredPackagesProps } from './stored-packages.tsx';

export function registerMirrorOverview(pages: Pages, report: MirrorReport | undefined): void {
  pages.page({ path: '/mirror', operation: 'listMirrored', show: (request) => showMirror(report, request) });
}

async function showMirror(report: MirrorReport | undefined, request: SignedInRequest): Promise<PageView> {
  const registries = (await report?.registries()) ?? [];
  const content =
    report === undefined || registries.length === 0 ? (
      <MirrorOff isMissing={report === undefined} mayChange={request.may('updateSettings')} />
    ) : (
      <Mirror
        registries={registries}
        alarms={report.alarms()}
        stored={await readStored(report, request)}
        nowMs={request.nowMs}
      />
    );
  return { title: 'Mirror', section: 'mirror', content };
}

async function readStored(
  report: MirrorReport,
  { query: given, nowMs }: SignedInRequest,
): Promise<StoredPackagesProps> {
  const query = parseMirrorQuery(given);
  const packages = await report.packages(nowMs);
  const found = selectPackages(packages, query);
  const from = (query.page - 1) * packagesPerPage;
  const rows = await Promise.all(
    found
      .slice(from, from + packagesPerPage)
      .map(async (one) => ({ ...one, archives: await report.archives(one.name) })),
  );
  return { query, rows, found: found.length, total: packages.length };
}

interface MirrorProps {
  readonly registries: readonly MirrorRegistry[];
  readonly alarms: readonly MirrorAlarm[];
  readonly stored: StoredPackagesProps;
  readonly nowMs: number;
}

function Mirror({ registries, alarms, stored, nowMs }: MirrorProps): Child {
  return (
    <>
      <PageHead title="Mirror" sentence="Packages of other registries that this one stores, checks and serves." />
      <AlarmList alarms={alarms} nowMs={nowMs} />
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
            <ButtonLink to="/settings/mirroring.enabled" kind="primary">
              Turn on mirroring
            </ButtonLink>
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
