// Answers requests of archives: the published ZIP, the mirrored one, or the tombstone of a purged version.

import type { PackageName } from '../../build/contract/name.ts';
import type { IndexEntry } from '../../build/contract/serving-index.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { errorAnswer, type Answer } from '../http/answer.ts';
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

interface Found {
  /** undefined: the caller sees no archive of the package */
  readonly archives: PackageArchives | undefined;
  readonly filter: ReleaseFilter;
  readonly send: (entry: IndexEntry) => MaybeAsync<Answer>;
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
    const { epoch } = moment;
    const filter = filterOf(preferences.view, route.name);
    if (filter === 'none') return absent(this.#files, absentVersion(route), route.name);
    const seen = { name: route.name, filter, epoch };
    const send = (entry: IndexEntry): MaybeAsync<Answer> => {
      const sent = (): MaybeAsync<Answer> =>
        this.#counted(route.name, entry.version, preferences, this.#files.archive(entry, preferences));
      if (rules === undefined) return sent();
      return andThen(rules.publishedArchive(route.name, entry, preferences, moment), (refusal) => refusal ?? sent());
    };
    const answer = (archives: PackageArchives | undefined): MaybeAsync<Answer> | undefined => {
      const entry = archives?.find(route.labels, route.reference, filter);
      return entry && send(entry);
    };
    const mirrored = (): MaybeAsync<Answer | undefined> =>
      this.#mirroredArchive(route, preferences, { view: preferences.view, filter }, moment);
    const missing = (archives?: PackageArchives): MaybeAsync<Answer> =>
      andThen(mirrored(), (found) => found ?? this.#gone(route, { archives, filter, send }, preferences, moment));
    const again = (): MaybeAsync<Answer> =>
      andThen(
        absentWhereHidden(this.#files, this.#files.archivesAgain(route.name, epoch), seen),
        (archives) => answer(archives) ?? missing(archives),
      );
    const published = (): MaybeAsync<Answer> =>
      andThen(absentWhereHidden(this.#files, this.#files.archives(route.name, epoch), seen), (archives) => {
        const first = answer(archives);
        if (first === undefined) return again();
        return first instanceof Promise
          ? first.catch((error: unknown) => (error instanceof ArchiveMismatch ? again() : Promise.reject(error)))
          : first;
      });
    return andThen(this.#files.visible.shows(preferences.view, route.name, 'archives', epoch), (shows) => {
      if (!shows) return missing();
      return this.#mirrored?.isElsewhere(route.name, moment) === true
        ? andThen(mirrored(), (found) => found ?? again())
        : published();
    });
  }

  /** No archive has this label and this reference. */
  #gone(
    route: Extract<Route, { kind: 'dist' }>,
    { archives, filter, send }: Found,
    { userAgent }: RequestPreferences,
    { nowMs }: Moment,
  ): MaybeAsync<Answer> {
    const forComposer = userAgent?.startsWith('Composer/') === true;
    return andThen(this.#tombstones?.read(nowMs), (purged) => {
      const tombstone = purged === undefined ? undefined : tombstoneOf(route, purged);
      const gone = tombstone === undefined ? undefined : goneAnswer(tombstone, filter, forComposer);
      if (gone !== undefined) return gone;
      const release = archives?.releaseOf(route.labels, route.reference, filter);
      if (release !== undefined) return send(release);
      const commits = archives?.referencesOf(route.labels, filter) ?? [];
      if (commits.length === 0) return absent(this.#files, absentVersion(route), route.name);
      return errorAnswer('NOT_FOUND', {
        message: `${absentVersion(route)} ${knownCommits(commits)}`,
        details: { package: route.name },
        forComposer,
      });
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

/** The newest first; in the short form, which a client may send too. */
function knownCommits(references: readonly string[]): string {
  const named = references.slice(0, mostCommits).map((reference) => reference.slice(0, 12));
  const others = references.length - named.length;
  return `Published commits: ${named.join(', ')}${others === 0 ? '' : ` and ${others} more`}.`;
}

function absentVersion(route: Extract<Route, { kind: 'dist' }>): string {
  const version = (route.labels[0] ?? '').slice(0, 128);
  const content = route.reference === undefined ? '' : ` with reference ${route.reference.slice(0, 64)}`;
  return `${route.name} ${version}${content} is not published here.`;
}
