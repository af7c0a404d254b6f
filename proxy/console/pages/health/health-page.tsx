// The status of the registry by area: what needs somebody, as the overview says it, and below it the checks of
// `libretto doctor` as they are, without the path of the data folder.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import type { HealthChecks, HealthReport } from '../../../inspection/health.ts';
import { Badge } from '../../components/badge.tsx';
import { Form } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { MarkedText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/place.tsx';
import { formatCount, Time } from '../../components/values.tsx';
import type { FormState } from '../../request/form-fields.ts';
import { SingleFlight } from '../../../../build/shared/concurrency/single-flight.ts';
import { areas, type Need } from '../overview/needs.ts';
import { NeedsList } from '../overview/overview-page.tsx';
import { type OverviewServices, readNeeds } from '../overview/read-overview.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';

interface HealthPageProps {
  readonly needs: readonly Need[];
  readonly status: HealthStatus;
  readonly form: FormState;
  /** seconds between two looks at a running check */
  readonly refreshSeconds: number;
  /** the data folder, which people need no path of; undefined: it is on another host */
  readonly data: string | undefined;
}

function HealthPage({ needs, status, form, refreshSeconds, data }: HealthPageProps): Child {
  const { report, isChecking, failure } = status;
  return (
    <>
      <PageHead title="Status" sentence="Whether all is well, area by area." />
      <div id="findings" class="stack" {...(isChecking ? { 'data-refresh': String(refreshSeconds) } : {})}>
        {isChecking ? <Notice kind="info">The registry is being checked. The result appears here.</Notice> : null}
        {failure === undefined || isChecking ? null : <Notice kind="bad">{failure}</Notice>}
        {isChecking ? null : <Again report={report} form={form} />}
        <Areas needs={needs} />
        {report === undefined ? null : <Checks findings={report.findings} {...{ data }} />}
      </div>
    </>
  );
}

interface AgainProps extends Pick<HealthPageProps, 'form'> {
  readonly report: HealthReport | undefined;
}

/** The time of the last check, and the button for another. */
function Again({ report, form }: AgainProps): Child {
  return (
    <div class="row">
      {report === undefined ? null : (
        <span class="soft small">
          Checked <Time at={report.checked_at} />
        </span>
      )}
      <div class="row-end">
        <Form state={form} submit="Check again" />
      </div>
    </div>
  );
}

/** A need that no other area has is one of the server. */
function Areas({ needs }: Pick<HealthPageProps, 'needs'>): Child {
  const areaOf = ({ to = '/health', area }: Need): string =>
    area ?? Object.entries(areas).find(([, starts]) => starts.some((start) => to.startsWith(start)))?.[0] ?? 'Server';
  return Object.keys(areas).map((area) => {
    const own = needs.filter((need) => areaOf(need) === area);
    return (
      <section class="panel">
        <h2 class="row">
          {area}
          {own.length > 0 ? null : <Badge kind="good" label="all is well" />}
        </h2>
        {own.length === 0 ? null : <NeedsList needs={own} />}
      </section>
    );
  });
}

const verdicts = {
  failed: { kind: 'bad', name: 'circle-x', label: 'Failed' },
  warning: { kind: 'warn', name: 'triangle-alert', label: 'Warning' },
  ok: { kind: 'good', name: 'circle-check', label: 'In order' },
  skipped: { kind: 'info', name: 'circle-minus', label: 'Not checked' },
} as const;

/** Every check as `libretto doctor` prints it. */
function Checks({ findings, data }: Pick<HealthReport, 'findings'> & Pick<HealthPageProps, 'data'>): Child {
  const folder = /(?<![\w:/.])\/(?:[^\s/`'"]+\/)+(?=[^\s/])/g; // of a file, which has a name
  const inWords = (text: string): string =>
    (data === undefined ? text : text.replaceAll(data, 'the data folder')).replace(folder, '');
  return (
    <details>
      <summary>{formatCount(findings.length, 'check')} of libretto doctor</summary>
      <ul class="findings plain">
        {findings.map(({ check, verdict, message, advice }) => (
          <li class={verdicts[verdict].kind}>
            <Icon name={verdicts[verdict].name} label={verdicts[verdict].label} />
            <span>
              <code>{check}</code> <MarkedText text={inWords([message, advice ?? ''].join(' ').trim())} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

export type HealthPageServices = OverviewServices;

const refreshSeconds = 3;
type HealthWatch = ReturnType<typeof createHealthWatch>;

export function registerHealthPage(pages: Pages, services: HealthPageServices): void {
  const watches = new SingleFlight<HealthWatch>({ keeps: 'fulfilled' });
  const watch = (): Promise<HealthWatch> =>
    watches.run('', async () => createHealthWatch((await services.inspection()).health));
  pages.form({
    path: '/health',
    operation: 'getHealth',
    show: async (request, form) => showHealth(services, await watch(), request, form),
    submit: async () => {
      (await watch()).begin();
      return { to: '/health' };
    },
  });
}

/** The first visit begins a check. The needs are read after its status, so that they have what it found. */
async function showHealth(
  services: HealthPageServices,
  watch: HealthWatch,
  request: SignedInRequest,
  form: FormState,
): Promise<PageView> {
  const { report, failure } = watch.status();
  if (report === undefined && failure === undefined) watch.begin();
  const status = watch.status();
  const { needs } = await readNeeds(services, request);
  return {
    title: 'Status',
    section: 'health',
    ...(status.isChecking ? { refreshSeconds } : {}),
    content: <HealthPage {...{ needs, status, form, refreshSeconds, data: services.dataDirectory }} />,
  };
}

interface HealthStatus {
  /** undefined: this process has checked nothing yet */
  readonly report: HealthReport | undefined;
  readonly isChecking: boolean;
  /** why the last check did not end; undefined: it did */
  readonly failure: string | undefined;
}

/** The checks of this process: a page never waits for one. `status` throws the internal error that ended the last, once. */
function createHealthWatch(health: HealthChecks) {
  let isChecking = false;
  let failed: unknown;
  const check = async (): Promise<void> => {
    try {
      await health.check();
      failed = undefined;
    } catch (error) {
      failed = error;
    } finally {
      isChecking = false;
    }
  };
  return {
    status: (): HealthStatus => {
      const error = failed;
      const failure = error instanceof RegistryError ? error.message : undefined;
      if (error === undefined || failure !== undefined) return { report: health.last(), isChecking, failure };
      failed = undefined;
      throw error;
    },
    begin: (): void => {
      if (isChecking) return;
      isChecking = true;
      void check();
    },
  };
}
