// Answers requests of archives: the published ZIP, the mirrored one, or the tombstone of a purged version.

import type { PackageName } from '../../../build/contract/name.ts';
import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { Answer } from '../http/answer.ts';
import { ArchiveMismatch } from '../tree/archive-store.ts';
import { absentWhereHidden } from '../tree/document-releases.ts';
import type { PackageArchives } from '../tree/package-archives.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import { filterOf, type ReleaseFilter } from '../views/view.ts';
import { absent } from './absent.ts';
import type { MirroredPackages, Moment, Viewer } from './mirrored-packages.ts';
import type { RulesInEffect } from './release-policy.ts';
import type { RequestPreferences } from './request-preferences.ts';
import type { Route } from './route.ts';
import { goneAnswer, tombstoneOf, type Tombstones } from './tombstones.ts';

export interface ArchiveAnswersOptions {
  readonly files: TreeFiles;
  /** Counts every sent archive; called while a request is answered. */
  readonly onDownload?: ((name: PackageName, version: string) => void) | undefined;
  /** packages of other registries, for names that are not published here; undefined: none */
  readonly mirrored?: MirroredPackages | undefined;
  /** tombstones of purged versions; undefined: a purged version is answered like an unknown version */
  readonly tombstones?: Tombstones | undefined;
}

interface Deciding {
  readonly filter: ReleaseFilter;
  readonly rules: RulesInEffect | undefined;
  /** `archives`: those of the package that the caller may know */
  readonly missing: (archives?: PackageArchives) => MaybeAsync<Answer>;
}

/** The number of commits that an answer names. */
const mostCommits = 5;

export class ArchiveAnswers {
  readonly #files: TreeFiles;
  readonly #onDownload: ArchiveAnswersOptions['onDownload'];
  readonly #mirrored: MirroredPackages | undefined;
  readonly #tombstones: Tombstones | undefined;

  constructor({ files, onDownload, mirrored, tombstones }: ArchiveAnswersOptions) {
    this.#files = files;
    this.#onDownload = onDownload;
    this.#mirrored = mirrored;
    this.#tombstones = tombstones;
  }

  /**
   * A build publishes ZIPs and index before the p2 document that names them. If the index in memory lacks a version, or
   * a file differs from its entry, this reads the index again before it answers 404.
   */
  answer(
    route: Extract<Route, { kind: 'dist' }>,
    preferences: RequestPreferences,
    moment: Moment,
    rules: RulesInEffect | undefined,
  ): MaybeAsync<Answer> {
    const filter = filterOf(preferences.view, route.name);
    if (filter === 'none') return absent(this.#files, absentVersion(route), route.name);
    const missing = (archives?: PackageArchives): MaybeAsync<Answer> =>
      andThen(
        this.#mirroredArchive(route, preferences, { view: preferences.view, filter }, moment),
        (found) => found ?? this.#gone(route, { filter, archives }, preferences, moment),
      );
    return andThen(this.#files.visible.shows(preferences.view, route.name, 'archives', moment.epoch), (shows) =>
      shows ? this.#published(route, preferences, moment, { filter, rules, missing }) : missing(),
    );
  }

  #published(
    route: Extract<Route, { kind: 'dist' }>,
    preferences: RequestPreferences,
    moment: Moment,
    { filter, rules, missing }: Deciding,
  ): MaybeAsync<Answer> {
    const seen = { name: route.name, filter, epoch: moment.epoch };
    const answer = (archives: PackageArchives | undefined): MaybeAsync<Answer> | undefined => {
      const entry = archives?.find(route.labels, route.reference, filter);
      if (entry === undefined) return undefined;
      const sent = (): MaybeAsync<Answer> =>
        this.#counted(route.name, entry.version, preferences, this.#files.archive(entry, preferences));
      if (rules === undefined) return sent();
      return andThen(rules.publishedArchive(route.name, entry, preferences, moment), (refusal) => refusal ?? sent());
    };
    const again = (): MaybeAsync<Answer> =>
      andThen(
        absentWhereHidden(this.#files, this.#files.archivesAgain(route.name, moment.epoch), seen),
        (archives) => answer(archives) ?? missing(archives),
      );
    if (this.#mirrored?.isElsewhere(route.name, moment) === true)
      return andThen(
        this.#mirroredArchive(route, preferences, { view: preferences.view, filter }, moment),
        (found) => found ?? again(),
      );
    return andThen(absentWhereHidden(this.#files, this.#files.archives(route.name, moment.epoch), seen), (archives) => {
      const first = answer(archives);
      if (first === undefined) return again();
      return first instanceof Promise
        ? first.catch((error: unknown) => (error instanceof ArchiveMismatch ? again() : Promise.reject(error)))
        : first;
    });
  }

  #gone(
    route: Extract<Route, { kind: 'dist' }>,
    { filter, archives }: { readonly filter: ReleaseFilter; readonly archives: PackageArchives | undefined },
    { userAgent }: RequestPreferences,
    { nowMs }: Moment,
  ): MaybeAsync<Answer> {
    const forComposer = userAgent?.startsWith('Composer/') === true;
    return andThen(this.#tombstones?.read(nowMs), (purged) => {
      const tombstone = purged === undefined ? undefined : tombstoneOf(route, purged);
      const gone = tombstone && goneAnswer(tombstone, filter, forComposer);
      if (gone !== undefined) return gone;
      const commits = (archives?.entriesOf(route.labels, filter) ?? []).map(({ reference }) => reference);
      return absent(this.#files, absentVersion(route, commits), route.name, forComposer && commits.length > 0);
    });
  }

  #mirroredArchive(
    route: Extract<Route, { kind: 'dist' }>,
    preferences: RequestPreferences,
    viewer: Viewer,
    moment: Moment,
  ): MaybeAsync<Answer | undefined> {
    return andThen(this.#mirrored?.archive(route, preferences, viewer, moment), (found) =>
      found === undefined ? undefined : this.#counted(route.name, found.version, preferences, found.answer),
    );
  }

  #counted(
    name: PackageName,
    version: string,
    { head }: RequestPreferences,
    answer: MaybeAsync<Answer>,
  ): MaybeAsync<Answer> {
    const onDownload = this.#onDownload;
    if (onDownload === undefined || head) return answer;
    return andThen(answer, (settled) => {
      const isWhole = typeof settled.body === 'object' && 'handle' in settled.body ? settled.body.isWhole : undefined;
      if (isWhole !== undefined) void isWhole().then((whole) => whole && onDownload(name, version));
      else if (settled.status === 200) onDownload(name, version);
      return settled;
    });
  }
}

/** `commits`: those with an archive under this label, newest first. */
function absentVersion(route: Extract<Route, { kind: 'dist' }>, commits: readonly string[] = []): string {
  const version = (route.labels[0] ?? '').slice(0, 128);
  const content = route.reference === undefined ? '' : ` with reference ${route.reference.slice(0, 64)}`;
  const known = [...new Set(commits)].slice(0, mostCommits).map((commit) => commit.slice(0, 12));
  const newest = known.length === 0 ? '' : ` The newest published commits are ${known.join(', ')}.`;
  return `${route.name} ${version}${content} is not published here.${newest}`;
}
