// The page that people see first: what needs attention, how large the registry is, and what happened last. A new
// registry shows the first steps instead.

import type { Child } from 'hono/jsx';
import { patchOf, updateSettings, type SettingServices } from '../../../settings/operations.ts';
import { Badge } from '../../components/badge.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { DayChart } from '../../components/day-chart.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead, A } from '../../components/place.tsx';
import { formatBytes, formatNumber, Time } from '../../components/values.tsx';
import { RadioGroup } from '../../components/radio-group.tsx';
import type { FormPage, PageRequest } from '../../frame/definitions.ts';
import { operationForm } from '../../frame/operation-form.tsx';
import { PublicationEntry } from '../history/history.tsx';
import { FirstSteps } from './first-steps.tsx';
import type { Need } from './needs.ts';
import { type Overview, readOverview, type OverviewServices } from './read-overview.ts';
import type { Pages } from '../../frame/pages.ts';
import { Icon } from '../../components/icon.tsx';
import { ReasonText } from '../../components/marked-text.tsx';

type OverviewPageServices = OverviewServices & SettingServices;

const countingPath = '/overview/counting';

interface StatTileProps {
  readonly label: string;
  readonly value: Child;
  /** the page with more about it; undefined: there is none */
  readonly to?: string | undefined;
  /** a few words below the number */
  readonly note?: Child;
  /** a chart */
  readonly children?: Child;
}

/** A number that people look at often, with its name, a link to more, and perhaps a small chart. */
function StatTile({ label, value, to, note, children }: StatTileProps): Child {
  return (
    <div class="tile">
      <span class="label">{to === undefined ? label : <A to={to}>{label}</A>}</span>
      <span class="value">{value}</span>
      {note === undefined ? null : <span class="soft small">{note}</span>}
      {children}
    </div>
  );
}

/** The beginning of the address of a page → what one does there. */
const actions: Readonly<Record<string, string>> = {
  '/repositories/': 'Open the repository',
  '/connections/': 'Open the connection',
  '/tokens/': 'Change the token',
  '/notifications/': 'Open the endpoint',
  '/packages/': 'See the reason',
  '/policy/feeds': 'Open the feeds',
  '/health': 'Check again',
};

/** A list of what needs a person, each with the page where it is repaired. */
export function NeedsList({ needs }: { readonly needs: readonly Need[] }): Child {
  return (
    <ul class="findings plain">
      {needs.map(({ kind, title, detail, to }) => (
        <li class={kind}>
          <Icon name={kind === 'bad' ? 'circle-x' : 'triangle-alert'} label={kind === 'bad' ? 'Fault' : 'Warning'} />
          <div>
            <strong>{title}</strong>
            <p class="small">
              <ReasonText text={detail} />
            </p>
            {to === undefined ? null : (
              <ButtonLink to={to} kind="small" aria-label={`${actionAt(to)}: ${title}`} label={actionAt(to)} />
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

function actionAt(to: string): string {
  const known = Object.entries(actions).find(([start]) => to.startsWith(start))?.[1];
  return known ?? `Open ${to.replace(/^\/([a-z]+).*$/, '$1')}`;
}

export interface OverviewPageProps {
  readonly overview: Overview;
  readonly may: PageRequest['may'];
  /** true: nobody has decided yet what downloads are counted by, and the visitor may */
  readonly asksCounting: boolean;
}

export function OverviewPage({ overview, may, asksCounting }: OverviewPageProps): Child {
  const { status, needs, publications } = overview;
  const isNew = status.publication === null;
  return (
    <>
      <PageHead title="Overview" sentence="What needs you, and what this registry does." />
      {isNew && needs.length === 0 ? null : <Needs needs={needs} may={may} />}
      {asksCounting ? (
        <Notice kind="info">
          {question} <A to={countingPath}>Answer</A>
        </Notice>
      ) : null}
      {isNew ? <FirstSteps counts={status.counts} may={may} /> : <Tiles overview={overview} />}
      {publications === undefined || publications.length === 0 ? null : (
        <section class="stack">
          <h2>Last releases</h2>
          <ul class="plain stack">
            {publications.map((publication) => (
              <li>
                <PublicationEntry publication={publication} />
              </li>
            ))}
          </ul>
          <p class="small">
            <A to="/history">Show all releases</A>
          </p>
        </section>
      )}
    </>
  );
}

function Needs({ needs, may }: { readonly needs: readonly Need[]; readonly may: PageRequest['may'] }): Child {
  if (needs.length === 0)
    return (
      <p class="row">
        <Badge kind="good" icon="circle-check" label="All is well" />
        <span class="soft">Nothing needs you.</span>
      </p>
    );
  return (
    <section class="panel">
      <h2>Needs you</h2>
      <NeedsList needs={needs} />
      {may('getHealth') ? <ButtonLink to="/health" label="Show the whole status" /> : null}
    </section>
  );
}

function Tiles({ overview }: Pick<OverviewPageProps, 'overview'>): Child {
  const { status, installs, publications, leftOut } = overview;
  const { counts, publication } = status;
  return (
    <div class="tiles">
      <StatTile label="Packages" to="/packages" value={formatNumber(counts.packages)} />
      <StatTile
        label="Versions"
        value={formatNumber(counts.versions)}
        note={leftOut === 0 ? undefined : `${formatNumber(leftOut)} left out`}
      />
      <StatTile label="Installs in 30 days" value={formatNumber(installs.reduce((sum, { count }) => sum + count, 0))}>
        <DayChart days={installs} unit="install" />
      </StatTile>
      <StatTile
        label="Last publication"
        to={publications === undefined ? undefined : '/history'}
        value={publication === null ? 'none' : <Time at={publication.published_at} />}
        note={publication === null ? undefined : `number ${publication.serial}`}
      />
      <DiskTile {...overview} />
    </div>
  );
}

/** The fullest disk of the data folder. */
function DiskTile({ disks = [] }: Pick<Overview, 'disks'>): Child {
  const [least] = disks.flatMap(({ bytes }) => bytes ?? []).toSorted((one, other) => one.available - other.available);
  if (least === undefined) return null;
  return (
    <StatTile
      label="Free disk"
      to="/health"
      value={formatBytes(least.available)}
      note={`of ${formatBytes(least.size)}`}
    />
  );
}

const question = 'Do you want to know who uses which version?';

const countingForm = (services: OverviewPageServices): FormPage =>
  operationForm(services, updateSettings, {
    section: 'overview',
    path: countingPath,
    linked: [],
    view: () => ({
      title: question,
      sentence: 'Counts by token say so before you withdraw a version. They keep who downloads what, and on which day.',
      submit: 'Save',
      cancel: '/overview',
      fields: (
        <RadioGroup
          name="statistics.by"
          label="Downloads are counted by"
          choices={[
            { value: 'version', label: 'Version', hint: 'How often each version is downloaded.' },
            { value: 'token', label: 'Version and token', hint: 'Also by which token: “Used by” names it.' },
          ]}
        />
      ),
    }),
    input: (_request, fields) => patchOf([['statistics.by', fields.text('statistics.by')]]),
    done: () => ({ to: '/overview', notice: 'counting' }),
  });

export function registerOverviewPage(pages: Pages, services: OverviewPageServices): void {
  pages.form(countingForm(services));
  pages.page({
    path: '/overview',
    operation: 'getStatus',
    notices: { counting: 'Saved. “Counts and what is kept” in the settings changes it.' },
    show: async (request) => {
      const overview = await readOverview(services, request);
      const isAsked = (await services.settings.describe()).some(
        ({ key, origin }) => key === 'statistics.by' && origin === 'default',
      );
      const asksCounting = isAsked && request.may('updateSettings');
      return {
        title: 'Overview',
        section: 'overview',
        content: <OverviewPage {...{ overview, asksCounting, may: request.may }} />,
      };
    },
  });
}
