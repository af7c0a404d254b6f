// The comparison of two versions of a package whose archives are stored here. `from` and `to` in the address name
// them; without them the newest version is compared with the one before it. `file` names one file of both.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { compareDependencies, type DependencyChange } from '../../../inspection/compare-dependencies.ts';
import { findVersion, type PublishedVersion } from '../../../packages/published-package.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { archivedVersions } from '../package/archived-versions.ts';
import { malwareByPackage, type WithMalware } from '../../../usage/read-exposures.ts';
import { nameIn, packagePath, packageTrail, packageView, type PackagePageServices } from '../package/open-package.ts';
import type { Child } from 'hono/jsx';
import type { IndexEntry } from '../../../../build/contract/serving-index.ts';
import type { ComparedFiles } from '../../../contents/compare-files.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ChoiceFilter } from '../../components/filters.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { LineDiff } from '../../components/line-diff.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead, A } from '../../components/place.tsx';
import { formatCount, formatBytes, Time } from '../../components/values.tsx';
import { Table } from '../../components/table.tsx';
import { visibleText } from '../../components/visible-text.ts';
import { MalwareBadge } from '../package/concerns.tsx';
import { ChangeBadge, ComparedFileList, type ComparedPair } from './compared-files.tsx';
import { NewlyCan, reviewed } from './newly-can.tsx';
import type { FileDifference, Unseen } from '../../../contents/look-inside.ts';

export type ComparePageServices = Pick<
  PackagePageServices,
  'published' | 'mirrored' | 'mirror' | 'inspection' | 'policyAdmin'
>;

export function registerComparePage(pages: Pages, services: ComparePageServices): void {
  pages.page({
    path: '/packages/:vendor/:package/compare',
    operation: 'compareVersions',
    show: (request) => showComparison(services, request),
  });
}

async function showComparison(services: ComparePageServices, request: SignedInRequest): Promise<PageView> {
  const { query } = request;
  const name = nameIn(request);
  const versions = await archivedVersions(services, name, request);
  const [newest, second] = versions;
  const view = (content: Child): PageView => packageView(`Compare versions of ${name}`, content);
  if (newest === undefined) throw new RegistryError('NOT_FOUND', { message: `No archive of ${name} is stored here.` });
  const versionIn = (field: string): PublishedVersion | undefined => {
    const wanted = query.get(field) ?? '';
    const found = findVersion(versions, wanted);
    if (wanted === '' || found !== undefined) return found;
    throw new RegistryError('NOT_FOUND', {
      message: `${name} ${wanted.slice(0, 200)} is not published here, and no archive of it is stored.`,
    });
  };
  const after = versionIn('to') ?? newest;
  const before = versionIn('from') ?? versions[versions.indexOf(after) + 1] ?? second;
  if (before === undefined) return view(<SingleVersion {...{ name }} version={newest.entry.version} />);
  const contents = (await services.inspection()).contents(request);
  const pair = { name, before: before.entry, after: after.entry };
  const file = query.get('file') ?? '';
  const showsAll = query.get('files') === 'all';
  const difference = await contents.compare(before.entry, after.entry, file === '' ? 'composer.json' : file);
  if (file !== '') {
    if (difference !== undefined) return view(<ComparedFile {...{ pair, file, difference }} />);
    throw new RegistryError('NOT_FOUND', { message: `Neither version of ${name} has this file.` });
  }
  const files = await contents.compareFiles(before.entry, after.entry, showsAll);
  const dependencies = compareDependencies(before.record, after.record);
  const malware = (await malwareByPackage(services, request.caller.view)).get(name);
  const labels = versions.map(({ entry }) => entry.version);
  const newly = <NewlyCan {...{ pair }} {...await reviewed(contents, before, after)} />;
  return view(<ComparePage {...{ pair, newly, dependencies, difference, files, labels, malware, showsAll }} />);
}

interface ComparePageProps extends WithMalware {
  readonly pair: ComparedPair;
  /** what the second can newly do */
  readonly newly: Child;
  readonly dependencies: readonly DependencyChange[];
  /** of composer.json; undefined: neither archive has one */
  readonly difference: FileDifference | Unseen | undefined;
  readonly files: ComparedFiles | Unseen;
  /** the published versions, newest first */
  readonly labels: readonly string[];
  /** true: equal files are listed, too */
  readonly showsAll: boolean;
}

function ComparePage({
  pair,
  newly,
  dependencies,
  difference,
  files,
  labels,
  malware,
  showsAll,
}: ComparePageProps): Child {
  const { name, before, after } = pair;
  return (
    <>
      <Head name={name} sentence="What changed between two versions." />
      <Choice {...{ pair, labels, showsAll }} />
      <Table
        caption="The two versions"
        columns={factColumns}
        rows={[
          { role: 'From', malware, ...before },
          { role: 'To', malware, ...after },
        ]}
      />
      {newly}
      <ChangedDependencies changes={dependencies} />
      {difference && <h2>composer.json</h2>}
      {difference && <Difference file="composer.json" difference={difference} />}
      <section class="stack-tight">
        <h2>Files</h2>
        <ComparedFileList {...{ pair, files, showsAll }} />
      </section>
    </>
  );
}

function SingleVersion({ name, version }: { readonly name: string; readonly version: string }): Child {
  return (
    <>
      <Head name={name} sentence="What changed between two versions." />
      <EmptyState
        icon="git-compare-arrows"
        title="There is only one version"
        action={<ButtonLink to={`/packages/${name}`} label="Go to the package" />}
      >
        {version} is the only version whose archive is stored here. A comparison needs two.
      </EmptyState>
    </>
  );
}

interface ComparedFileProps extends Pick<ComparePageProps, 'pair'> {
  /** its path */
  readonly file: string;
  readonly difference: FileDifference | Unseen;
}

function ComparedFile({ pair: { name, before, after }, file, difference }: ComparedFileProps): Child {
  return (
    <>
      <Head name={name} sentence={`What changed in ${visibleText(file)}.`} />
      <p class="row">
        <A to={packagePath(name, 'compare', { from: before.version, to: after.version })}>All changes</A>
        {[before, after].map(({ version }) => (
          <A to={packagePath(name, 'files', { version, path: file })}>The file in {version}</A>
        ))}
      </p>
      <Difference {...{ file, difference }} />
    </>
  );
}

function Difference({ file, difference }: Omit<ComparedFileProps, 'pair'>): Child {
  if (difference.kind === 'unseen') return <Notice kind="warn">{difference.sentence}</Notice>;
  const { rows, added, removed, left } = difference;
  if (added + removed === 0) return <p class="soft">Both versions have the same lines.</p>;
  return (
    <>
      <p class="soft small">
        {formatCount(added, 'line')} added, {formatCount(removed, 'line')} removed.
        {left === 0 ? '' : ` The first ${rows.length} lines are shown.`}
      </p>
      <LineDiff label={`Differences of ${visibleText(file)}`} rows={rows} />
    </>
  );
}

function Head({ name, sentence }: { readonly name: string; readonly sentence: string }): Child {
  return <PageHead title={`Compare versions of ${name}`} sentence={sentence} trail={packageTrail(name)} />;
}

/** A form with GET, so that the address of a comparison can be sent to others. */
function Choice({ pair, labels, showsAll }: Pick<ComparePageProps, 'pair' | 'labels' | 'showsAll'>): Child {
  const choices = labels.map((version) => ({ value: version, label: version }));
  return (
    <form class="filters">
      <ChoiceFilter name="from" label="From" value={pair.before.version} choices={choices} />
      <ChoiceFilter name="to" label="To" value={pair.after.version} choices={choices} />
      {showsAll ? <input type="hidden" name="files" value="all" /> : null}
      <button class="button">Compare</button>
    </form>
  );
}

type Fact = IndexEntry & WithMalware & { readonly role: string };

function VersionCell({ version, malware }: Fact): Child {
  return (
    <strong>
      {version} {malware?.some((one) => one.version === version) ? <MalwareBadge /> : null}
    </strong>
  );
}

const factColumns = [
  { label: 'Side', cell: ({ role }: Fact) => <span class="soft">{role}</span> },
  { label: 'Version', cell: VersionCell },
  { label: 'Published', cell: ({ since }: Fact) => <Time at={since} /> },
  { label: 'Content', cell: ({ reference }: Fact) => <code title={reference}>{reference.slice(0, 10)}</code> },
  { label: 'Archive', isNumber: true, cell: ({ size }: Fact) => formatBytes(size) },
];

// The links that differ between two versions.

function ChangedDependencies({ changes }: { readonly changes: readonly DependencyChange[] }): Child {
  const isSame = changes.length === 0;
  return (
    <section class="stack-tight">
      <h2>Dependencies</h2>
      {isSame ? <p class="soft">Both versions have the same dependencies.</p> : null}
      {isSame ? null : <Table caption="Changed dependencies" columns={columns} rows={changes} />}
    </section>
  );
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
