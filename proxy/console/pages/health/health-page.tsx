// The page about health: the findings of the last check, the faults first, each with its repair.

import type { Child } from 'hono/jsx';
import type { HealthFinding, HealthReport } from '../../../inspection/health.ts';
import { Badge } from '../../components/badge.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Form } from '../../components/form.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { MarkedText } from '../../components/marked-text.tsx';
import { Notice, type State } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { formatCount } from '../../components/quantity.ts';
import { Time } from '../../components/time.tsx';
import type { FormState } from '../../request/form-fields.ts';
import { type HealthStatus, createHealthWatch, type HealthWatch } from './health-watch.ts';
import { SingleFlight } from '../../../../build/shared/concurrency/single-flight.ts';
import type { Inspection } from '../../../inspection/inspection.ts';
import type { PageRequest, PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';

export interface HealthPageProps {
  readonly status: HealthStatus;
  readonly form: FormState;
  readonly nowMs: number;
  /** seconds between two looks at a running check */
  readonly refreshSeconds: number;
}

export function HealthPage({ status, form, nowMs, refreshSeconds }: HealthPageProps): Child {
  const { report, isChecking, failure } = status;
  return (
    <>
      <PageHead
        title="Health"
        sentence={
          <>
            What <code>libretto doctor</code> finds about this registry.
          </>
        }
      />
      <div id="findings" class="stack" {...(isChecking ? { 'data-refresh': String(refreshSeconds) } : {})}>
        {isChecking ? <Notice kind="info">The registry is being checked. The result appears here.</Notice> : null}
        {failure === undefined || isChecking ? null : <Notice kind="bad">{failure}</Notice>}
        {isChecking ? null : <Again report={report} form={form} nowMs={nowMs} />}
        {report === undefined ? null : <Groups findings={report.findings} />}
        {report === undefined && isChecking ? (
          <EmptyState icon="heart-pulse" title="The first check is running">
            It takes some seconds, and longer for a large registry.
          </EmptyState>
        ) : null}
      </div>
    </>
  );
}

interface AgainProps extends Pick<HealthPageProps, 'form' | 'nowMs'> {
  readonly report: HealthReport | undefined;
}

/** The result in short, and the button for another check. */
function Again({ report, form, nowMs }: AgainProps): Child {
  return (
    <div class="row">
      {report === undefined ? null : (
        <>
          <Verdict findings={report.findings} />
          <span class="soft small">
            Checked <Time at={report.checked_at} nowMs={nowMs} />
          </span>
        </>
      )}
      <div class="row-end">
        <Form state={form} submit="Check again" />
      </div>
    </div>
  );
}

function Groups({ findings }: Pick<HealthReport, 'findings'>): Child {
  return (
    <>
      <Group title="Failed" kind="bad" icon="circle-x" findings={ofVerdict(findings, 'failed')} />
      <Group title="Warnings" kind="warn" icon="triangle-alert" findings={ofVerdict(findings, 'warning')} />
      <Group title="In order" kind="good" icon="circle-check" findings={ofVerdict(findings, 'ok')} />
      <Group title="Not checked" kind="info" icon="circle-minus" findings={ofVerdict(findings, 'skipped')} />
    </>
  );
}

function ofVerdict(findings: readonly HealthFinding[], verdict: HealthFinding['verdict']): readonly HealthFinding[] {
  return findings.filter((finding) => finding.verdict === verdict);
}

function Verdict({ findings }: Pick<HealthReport, 'findings'>): Child {
  const [failed, warnings] = [ofVerdict(findings, 'failed').length, ofVerdict(findings, 'warning').length];
  if (failed + warnings === 0)
    return (
      <Badge kind="good" icon="circle-check">
        No problem was found
      </Badge>
    );
  return (
    <>
      {failed === 0 ? null : (
        <Badge kind="bad" icon="circle-x">
          {failed} failed
        </Badge>
      )}
      {warnings === 0 ? null : (
        <Badge kind="warn" icon="triangle-alert">
          {formatCount(warnings, 'warning')}
        </Badge>
      )}
    </>
  );
}

interface GroupProps {
  readonly title: string;
  readonly kind: State;
  readonly icon: IconName;
  readonly findings: readonly HealthFinding[];
}

function Group({ title, kind, icon, findings }: GroupProps): Child {
  if (findings.length === 0) return null;
  return (
    <section class="stack-tight">
      <h2>{title}</h2>
      <ul class="findings plain">
        {findings.map(({ check, message, advice }) => (
          <li class={kind}>
            <Icon name={icon} />
            <div class="stack-tight">
              <span>
                <code>{check}</code> <MarkedText text={message} />
              </span>
              {advice === null ? null : (
                <span class="soft">
                  <MarkedText text={advice} />
                </span>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

export interface HealthPageServices {
  readonly inspection: () => Promise<Inspection>;
}

const refreshSeconds = 3;

export function registerHealthPage(pages: Pages, { inspection }: HealthPageServices): void {
  const watches = new SingleFlight<HealthWatch>({ keeps: 'fulfilled' });
  const watch = (): Promise<HealthWatch> => watches.run('', async () => createHealthWatch((await inspection()).health));
  pages.form({
    path: '/health',
    operation: 'getHealth',
    show: async (request, form) => showHealth(await watch(), request, form),
    submit: async () => {
      (await watch()).begin();
      return { to: '/health' };
    },
  });
}

/** The first visit begins a check. */
function showHealth(watch: HealthWatch, { nowMs }: PageRequest, form: FormState): PageView {
  const { report, failure } = watch.status();
  if (report === undefined && failure === undefined) watch.begin();
  const status = watch.status();
  return {
    title: 'Health',
    section: 'health',
    ...(status.isChecking ? { refreshSeconds } : {}),
    content: <HealthPage {...{ status, form, nowMs, refreshSeconds }} />,
  };
}
