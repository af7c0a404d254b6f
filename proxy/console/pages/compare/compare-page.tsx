// Two versions beside each other: facts, dependencies, composer.json and files.

import type { Child } from 'hono/jsx';
import type { ComparedVersion, ComparedVersions } from '../../../inspection/comparison.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { LineDiff } from '../../components/line-diff.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { formatCount, formatBytes } from '../../components/quantity.ts';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { ComparedFileList } from './compared-files.tsx';
import { diffLines, shortenEqual } from './diff-lines.ts';
import type { DependencyChange } from '../../../inspection/compare-dependencies.ts';
import { ChangeBadge } from './change-badge.tsx';

export interface ComparePageProps {
  readonly compared: ComparedVersions;
  /** the published versions, newest first */
  readonly labels: readonly string[];
  /** true: equal files are listed, too */
  readonly showsAll: boolean;
  readonly nowMs: number;
}

const context = 3;

export function ComparePage({ compared, labels, showsAll, nowMs }: ComparePageProps): Child {
  const { name, before, after, dependencies } = compared;
  return (
    <>
      <Head name={name} sentence="What changed between two published versions." />
      <Choice {...{ labels, showsAll }} from={before.version} to={after.version} />
      <Table
        caption="The two versions"
        columns={factColumns(nowMs)}
        rows={[
          { role: 'From', ...before },
          { role: 'To', ...after },
        ]}
      />
      <section class="stack-tight">
        <h2>Dependencies</h2>
        <ChangedDependencies changes={dependencies} />
      </section>
      <section class="stack-tight">
        <h2>composer.json</h2>
        <ComposerJson {...{ before, after }} />
      </section>
      <section class="stack-tight">
        <h2>Files</h2>
        <ComparedFileList {...{ compared, showsAll }} />
      </section>
    </>
  );
}

export function SingleVersion({ name, version }: { readonly name: string; readonly version: string }): Child {
  return (
    <>
      <Head name={name} sentence="What changed between two published versions." />
      <EmptyState
        icon="git-compare-arrows"
        title="There is only one version"
        action={<ButtonLink to={`/packages/${name}`}>Go to the package</ButtonLink>}
      >
        {version} is the only published version. A comparison needs two.
      </EmptyState>
    </>
  );
}

function Head({ name, sentence }: { readonly name: string; readonly sentence: string }): Child {
  return (
    <PageHead
      title={`Compare versions of ${name}`}
      sentence={sentence}
      trail={[
        { label: 'Packages', to: '/packages' },
        { label: name, to: `/packages/${name}` },
      ]}
    />
  );
}

interface ChoiceProps extends Pick<ComparePageProps, 'labels' | 'showsAll'> {
  readonly from: string;
  readonly to: string;
}

/** A form with GET, so that the address of a comparison can be sent to others. */
function Choice({ labels, showsAll, from, to }: ChoiceProps): Child {
  return (
    <form class="filters">
      <VersionSelect name="from" label="From" value={from} labels={labels} />
      <VersionSelect name="to" label="To" value={to} labels={labels} />
      {showsAll ? <input type="hidden" name="files" value="all" /> : null}
      <button class="button">Compare</button>
    </form>
  );
}

interface VersionSelectProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly labels: readonly string[];
}

function VersionSelect({ name, label, value, labels }: VersionSelectProps): Child {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {labels.map((version) => (
          <option value={version} selected={version === value}>
            {version}
          </option>
        ))}
      </select>
    </div>
  );
}

type Fact = ComparedVersion & { readonly role: string };

function factColumns(nowMs: number) {
  return [
    { label: 'Version', cell: ({ role, version }: Fact) => <FactName {...{ role, version }} /> },
    { label: 'Published', cell: ({ since }: Fact) => <Time at={since} nowMs={nowMs} /> },
    { label: 'Content', cell: ({ reference }: Fact) => <code title={reference}>{reference.slice(0, 10)}</code> },
    { label: 'Archive', isNumber: true, cell: ({ size }: Fact) => formatBytes(size) },
  ];
}

function FactName({ role, version }: Pick<Fact, 'role' | 'version'>): Child {
  return (
    <>
      <span class="soft">{role}</span> <strong>{version}</strong>
    </>
  );
}

function ComposerJson({ before, after }: Pick<ComparedVersions, 'before' | 'after'>): Child {
  const lines = diffLines(linesOf(before), linesOf(after));
  const [added, removed] = (['added', 'removed'] as const).map(
    (wanted) => lines.filter(({ kind }) => kind === wanted).length,
  );
  if (added === 0 && removed === 0) return <p class="soft">Both versions have the same composer.json.</p>;
  return (
    <>
      <p class="soft small">
        {formatCount(added ?? 0, 'line')} added, {formatCount(removed ?? 0, 'line')} removed. Fields that only root
        packages use are not shown.
      </p>
      <LineDiff label="Differences of composer.json" lines={shortenEqual(lines, context)} />
    </>
  );
}

function linesOf({ composer_json: json }: ComparedVersion): readonly string[] {
  return JSON.stringify(json, null, 4).split('\n');
}

// The links that differ between two versions.

function ChangedDependencies({ changes }: { readonly changes: readonly DependencyChange[] }): Child {
  if (changes.length === 0) return <p class="soft">Both versions have the same dependencies.</p>;
  return <Table caption="Changed dependencies" columns={columns} rows={changes} />;
}

const columns = [
  { label: 'Name', cell: ({ name }: DependencyChange) => <strong>{name}</strong> },
  { label: 'Kind', cell: ({ kind }: DependencyChange) => <span class="soft">{kind}</span> },
  {
    label: 'Change',
    cell: ({ before, after }: DependencyChange) => (
      <ChangeBadge state={before === null ? 'added' : after === null ? 'removed' : 'changed'} />
    ),
  },
  { label: 'From', cell: ({ before }: DependencyChange) => <Constraint text={before} /> },
  { label: 'To', cell: ({ after }: DependencyChange) => <Constraint text={after} /> },
];

function Constraint({ text }: { readonly text: string | null }): Child {
  return text === null ? <span class="soft">none</span> : <code>{text}</code>;
}
