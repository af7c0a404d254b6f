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
import type { MirroredPackages, Moment } from './mirrored-packages.ts';
import type { RulesInEffect } from './release-policy.ts';
import type { RequestPreferences } from './request-preferences.ts';
import type { Route } from './route.ts';
import { goneAnswer, tombstoneOf, type Tombstones } from './tombstones.ts';

/** Counts a sent archive or its address, or a reported install, at its answer. `client`: its User-Agent. */
export type CountUse = (name: string, version: string, token: string | undefined, client: string | undefined) => void;

export interface ArchiveAnswersOptions {
  readonly files: TreeFiles;
  readonly onDownload?: CountUse | undefined;
  /** packages of other registries, for names that are not published here; undefined: none */
  readonly mirrored?: MirroredPackages | undefined;
  /** tombstones of purged versions; undefined: a purged version is answered like an unknown version */
  readonly tombstones?: Tombstones | undefined;
}

/** A request for an archive. */
interface ArchiveRequest {
  readonly route: Extract<Route, { kind: 'dist' }>;
  readonly preferences: RequestPreferences;
  /** the part of the package that the view shows */
  readonly filter: ReleaseFilter;
  readonly moment: Moment;
  readonly rules: RulesInEffect | undefined;
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

  answer(
    route: ArchiveRequest['route'],
    preferences: RequestPreferences,
    moment: Moment,
    rules: RulesInEffect | undefined,
  ): MaybeAsync<Answer> {
    const { view } = preferences;
    const filter = filterOf(view, route.name);
    if (filter === 'none') return absent(this.#files, absentVersion(route), route.name);
    const asked = { route, preferences, filter, moment, rules };
    return andThen(this.#files.visible.shows(view, route.name, 'archives', moment.epoch), (shows) => {
      if (!shows) return this.#unpublished(asked);
      return this.#mirrored?.isElsewhere(route.name, moment) === true ? this.#elsewhere(asked) : this.#published(asked);
    });
  }

  #published(asked: ArchiveRequest): MaybeAsync<Answer> {
    return andThen(this.#knownTo(asked, this.#files.archives(asked.route.name, asked.moment.epoch)), (archives) => {
      const answer = this.#archiveIn(archives, asked);
      if (answer === undefined) return this.#again(asked);
      if (!(answer instanceof Promise)) return answer;
      return answer.catch((error: unknown) => {
        if (error instanceof ArchiveMismatch) return this.#again(asked);
        throw error;
      });
    });
  }

  #knownTo(
    { route: { name }, filter, moment: { epoch } }: ArchiveRequest,
    archives: MaybeAsync<PackageArchives | undefined>,
  ): MaybeAsync<PackageArchives | undefined> {
    return absentWhereHidden(this.#files, archives, { name, filter, epoch });
  }

  /** undefined: the index has no such version. */
  #archiveIn(archives: PackageArchives | undefined, asked: ArchiveRequest): MaybeAsync<Answer> | undefined {
    const { route, preferences, filter, moment, rules } = asked;
    const entry = archives?.find(route.labels, route.reference, filter);
    if (entry === undefined) return undefined;
    const send = (): MaybeAsync<Answer> =>
      this.#counted(route.name, entry.version, preferences, this.#files.archive(entry, preferences));
    if (rules === undefined) return send();
    return andThen(rules.publishedArchive(route.name, entry, preferences, moment), (refusal) => refusal ?? send());
  }

  /**
   * A build publishes ZIPs and index before the p2 document that names them. If the index in memory lacks a version, or
   * a file differs from its entry, this reads the index again.
   */
  async #again(asked: ArchiveRequest): Promise<Answer> {
    const archives = await this.#knownTo(asked, this.#files.archivesAgain(asked.route.name, asked.moment.epoch));
    return this.#archiveIn(archives, asked) ?? this.#unpublished(asked, archives);
  }

  /** An earlier request gave the name to another registry. */
  async #elsewhere(asked: ArchiveRequest): Promise<Answer> {
    return (await this.#ofMirror(asked)) ?? this.#again(asked);
  }

  async #ofMirror({ route, preferences, filter, moment }: ArchiveRequest): Promise<Answer | undefined> {
    const found = await this.#mirrored?.archive(route, preferences, { view: preferences.view, filter }, moment);
    return found && this.#counted(route.name, found.version, preferences, found.answer);
  }

  /** `archives`: those of the package that the caller may know. */
  async #unpublished(asked: ArchiveRequest, archives?: PackageArchives): Promise<Answer> {
    const mirrored = await this.#ofMirror(asked);
    if (mirrored !== undefined) return mirrored;
    const { route, filter, moment } = asked;
    const forComposer = asked.preferences.userAgent?.startsWith('Composer/') === true;
    const purged = await this.#tombstones?.read(moment.nowMs);
    const tombstone = purged && tombstoneOf(route, purged);
    const gone = tombstone && goneAnswer(tombstone, filter, forComposer);
    if (gone !== undefined) return gone;
    const commits = (archives?.entriesOf(route.labels, filter) ?? []).map(({ reference }) => reference);
    return absent(this.#files, absentVersion(route, commits), route.name, forComposer && commits.length > 0);
  }

  #counted(
    name: PackageName,
    version: string,
    { head, token, userAgent }: RequestPreferences,
    answer: MaybeAsync<Answer>,
  ): MaybeAsync<Answer> {
    const onDownload = this.#onDownload;
    if (onDownload === undefined || head) return answer;
    return andThen(answer, (settled) => {
      const isWhole = typeof settled.body === 'object' && 'handle' in settled.body ? settled.body.isWhole : undefined;
      if (isWhole !== undefined) void isWhole().then((whole) => whole && onDownload(name, version, token, userAgent));
      else if (settled.status === 200 || settled.status === 302) onDownload(name, version, token, userAgent);
      return settled;
    });
  }
}

/** `commits`: those with an archive under this label, newest first. */
function absentVersion(route: ArchiveRequest['route'], commits: readonly string[] = []): string {
  const version = (route.labels[0] ?? '').slice(0, 128);
  const content = route.reference === undefined ? '' : ` with reference ${route.reference.slice(0, 64)}`;
  const known = [...new Set(commits)].slice(0, mostCommits).map((commit) => commit.slice(0, 12));
  const newest = known.length === 0 ? '' : ` The newest published commits are ${known.join(', ')}.`;
  return `${route.name} ${version}${content} is not published here.${newest}`;
}
