// Stages the packages that publications have changed since an earlier one, in their state of then.

import type { VersionRecord } from '../contract/documents.ts';
import { isJsonObject } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import type { PublicPath } from '../contract/paths.ts';
import { unknownSource, type Publication, type PublishedSource } from '../contract/publication.ts';
import type { AdvisoryLists } from '../contract/advisory-lists.ts';
import { isDevVersion } from '../contract/version.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import type { PublicationMoment } from '../documents/document-changes.ts';
import type { DocumentSettings } from '../documents/document-settings.ts';
import { distOf, parseProvider } from '../documents/documents.ts';
import type { Published } from '../documents/recover-index.ts';
import type { Output } from '../output/output.ts';
import { readPackageState, type PackageState } from '../package/package-state.ts';
import { stagePackage, type PackageResult } from '../package/package-stage.ts';
import { createTextStager } from '../package/package-texts.ts';
import type { PublishedRecord } from '../package/package-context.ts';
import { BuildRefused } from '../contract/refusals.ts';
import type { Purged } from '../package/purged.ts';
import type { Withheld } from '../version-lists/withheld.ts';
import type { PendingHistory } from '../package/pending-publications.ts';
import { formerPath, type DocumentKind, type FormerDocument, type PublicationRecord } from '../history/record.ts';

export interface RollbackInputs {
  /** records of all later publications, newest first */
  readonly records: readonly PublicationRecord[];
  readonly to: number;
  readonly sources: readonly PublishedSource[];
  readonly settings: DocumentSettings;
  readonly withheld: Withheld;
  readonly purged: Purged;
  /** the present advisories: a rollback restores versions, not the advisories of that time */
  readonly advisories: AdvisoryLists;
  readonly output: Output;
  readonly pending: PendingHistory;
  readonly moment: PublicationMoment;
  readonly pruned: Publication['pruned'];
  /** the package's presence in packages.json */
  readonly isPublished: (name: PackageName) => Published;
  readonly now: Date;
}

/** Each former document, and the record that stores it. */
type FormerDocuments = { [Kind in DocumentKind]?: { readonly document: FormerDocument; readonly serial: number } };

/** A version of that publication that a rollback does not offer again. */
export interface StaysOut {
  readonly name: PackageName;
  readonly version: string;
  /** `withheld`: a person withdrew it, and may restore it; `purged`: it never returns */
  readonly why: 'withheld' | 'purged';
}

export interface StagedRollback {
  readonly results: readonly PackageResult[];
  readonly staysOut: readonly StaysOut[];
}

/** What single packages cannot give. */
interface Gaps {
  /** missing files, in words */
  readonly problems: string[];
  readonly staysOut: StaysOut[];
}

const mostShown = 20;

/** Throws BuildRefused, with a list of archives and records that the earlier metadata names and that are missing. */
export async function stageRollback(inputs: RollbackInputs): Promise<StagedRollback> {
  const gaps: Gaps = { problems: [], staysOut: [] };
  const { problems, staysOut } = gaps;
  const results: PackageResult[] = [];
  for (const [name, former] of formerByName(inputs.records))
    results.push(await stageFormer(name, former, inputs, gaps));
  if (problems.length === 0) return { results, staysOut };
  const more = problems.length > mostShown ? [`  … and ${problems.length - mostShown} more`] : [];
  throw new BuildRefused(
    [
      `The metadata of publication ${inputs.to} cannot be published again, since these are gone:`,
      ...problems.slice(0, mostShown).map((problem) => `  ${problem}`),
      ...more,
      'Restore them from a backup, or roll back to a later publication.',
    ].join('\n'),
  );
}

/** Of several records that replaced a document, the oldest has its state before all of them. */
function formerByName(records: readonly PublicationRecord[]): ReadonlyMap<PackageName, FormerDocuments> {
  const names = new Map<PackageName, FormerDocuments>();
  for (const { serial, packages } of records) {
    for (const { name, former } of packages) {
      const known = names.get(name) ?? {};
      names.set(name, known);
      for (const kind of ['stable', 'dev'] as const)
        if (former[kind] !== undefined) known[kind] = { document: former[kind], serial };
    }
  }
  return names;
}

async function stageFormer(
  name: PackageName,
  former: FormerDocuments,
  inputs: RollbackInputs,
  { problems, staysOut }: Gaps,
): Promise<PackageResult> {
  const { output, now, pending, settings } = inputs;
  const leftovers = new Set<PublicPath>();
  const state = await readPackageState(name, { ...inputs, leftovers, mayLose: 'nothing' });
  const records = [
    ...(await recordsThen(name, 'stable', former, state, inputs, problems)),
    ...(await recordsThen(name, 'dev', former, state, inputs, problems)),
  ];
  const publishedRecords: PublishedRecord[] = [];
  for (const record of records) {
    const why = whyOut(name, record, inputs);
    if (why !== undefined) {
      staysOut.push({ name, version: record.version, why });
      continue;
    }
    const entry = await entryThen(name, record, state, inputs);
    if (typeof entry === 'string') problems.push(entry);
    else publishedRecords.push({ entry, record: { ...record, dist: distOf(name, entry, settings) } });
  }
  const decision = { kept: [], fresh: [], withdrawn: [], ambiguous: [], refused: [] };
  return stagePackage(
    name,
    { contributions: [], former: state, state, decision, publishedRecords, made: [], refused: [], undone: new Map() },
    {
      output,
      texts: createTextStager(name, state.texts, output),
      leftovers,
      pending,
      advisories: inputs.advisories,
      moment: inputs.moment,
      now,
    },
  );
}

/** undefined: the version may return. */
function whyOut(
  name: PackageName,
  { version_normalized: normalized, dist }: VersionRecord,
  { withheld, purged }: Pick<RollbackInputs, 'withheld' | 'purged'>,
): StaysOut['why'] | undefined {
  if (purged.blocks(name, { normalized, reference: String(dist?.reference) }) !== undefined) return 'purged';
  return withheld.of(name).has(normalized) ? 'withheld' : undefined;
}

async function recordsThen(
  name: PackageName,
  kind: DocumentKind,
  former: FormerDocuments,
  state: PackageState,
  { output }: RollbackInputs,
  problems: string[],
): Promise<readonly VersionRecord[]> {
  const found = former[kind];
  if (found === undefined)
    return [...state.records.values()].filter((record) => isDevVersion(record.version_normalized) === (kind === 'dev'));
  if (found.document === null) return [];
  const path = formerPath(found.serial, found.document);
  const text = found.document === 'lost' ? undefined : await output.read('build', path);
  if (text !== undefined && digestOf(text) === found.document) return parseProvider(text, name);
  problems.push(
    found.document === 'lost'
      ? `the ${kind} versions of ${name}: their document was damaged before publication ${found.serial} replaced it`
      : `build/${path}: the ${kind} versions of ${name}`,
  );
  return [];
}

/** Returns the entry of the same content, which the serving index still has; or a text that names the missing file. */
async function entryThen(
  name: PackageName,
  { version, dist }: VersionRecord,
  state: PackageState,
  { output, sources, now }: RollbackInputs,
): Promise<PublishedRecord['entry'] | string> {
  const reference = isJsonObject(dist) ? dist.reference : undefined;
  const entry = state.entries.get(version)?.find((one) => one.reference === reference);
  if (entry === undefined) return `${name} ${version}: the archive of ${String(reference)}`;
  if (entry.state === 'published') return entry;
  if ((await output.facts('public', entry.path))?.size !== entry.size)
    return `${name} ${version}: public/${entry.path}`;
  // an entry without an existing source belongs to the unknown source, until a source claims it or `--forget unknown`
  // withdraws it
  const source = sources.some(({ id }) => id === entry.source) ? entry.source : unknownSource;
  return { ...entry, state: 'published', since: now.toISOString(), source };
}
