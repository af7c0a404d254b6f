// A version of a git repository as a release: facts that need no read are present, and everything else is read on
// request.

import { createHash } from 'node:crypto';

import { parseReference } from '../../contract/digest.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { PackageName } from '../../contract/name.ts';
import { parseDistLabel } from '../../contract/paths.ts';
import type { Signer } from '../../contract/signer.ts';
import { isDevVersion, normalizeVersion } from '../../contract/version.ts';
import type { NoteRepeated } from '../../record/parse-composer-json.ts';
import { archiveReference } from '../../archive/zip-admission/ready-archive.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import type { Content, ReadyArchive } from '../../archive/content.ts';
import type { Release } from '../release.ts';
import type { ArchiveAccess } from './archived-files.ts';
import { checkedComposerJson } from './composer-file.ts';
import { gitContent } from './git-content.ts';
import type { LfsPointers } from './lfs-pointers.ts';
import type { FetchedDists } from './fetched-dists.ts';
import type { RefOutcome } from './outcome.ts';
import type { PackagePlace } from './package-files.ts';
import type { ReadAhead } from './read-ahead.ts';
import type { RefKind, RefReader } from './read-ref.ts';
import { decodeRefName, type Ref } from './refs.ts';

type ReleaseOutcome = Extract<RefOutcome, { readonly kind: 'release' }>;

export interface ReleaseContext {
  readonly reader: RefReader;
  readonly readAhead: ReadAhead;
  readonly access: ArchiveAccess;
  readonly pointers: LfsPointers;
  /** undefined: no archive is made */
  readonly dists: FetchedDists | undefined;
  readonly kind: RefKind;
  readonly ref: Ref;
  /** for people */
  readonly where: string;
  readonly defaultBranch: boolean;
  /** who signed the tag with a known key */
  readonly signer: Signer | undefined;
  /** undefined for packages in folders: Composer would check out the whole repository in place of the package */
  readonly sourceUrl: string | undefined;
}

/** undefined if a remembered outcome is invalid under the present rules. */
export function gitRelease(outcome: ReleaseOutcome, context: ReleaseContext): Release | undefined {
  const normalized = normalizeVersion(outcome.version);
  const label = parseDistLabel(outcome.version);
  const reference = parseReference(referenceOf(outcome));
  if (normalized === undefined || 'refusal' in label || reference === undefined) return undefined;
  return new GitRelease(outcome, context, { version: label.label, normalized, reference });
}

/** Builds have tens of thousands of these objects at a time, so getters compute the facts that need no read. */
class GitRelease implements Release {
  readonly name: PackageName;
  readonly version: Release['version'];
  readonly normalized: Release['normalized'];
  readonly dev: boolean;
  readonly reference: Release['reference'];
  readonly defaultBranch: boolean;
  readonly where: string;
  declare readonly sourceUrl?: string;
  declare readonly signedBy?: Signer;
  declare readonly recordDigest?: string;
  readonly #outcome: ReleaseOutcome;
  readonly #reader: RefReader;
  readonly #readAhead: ReadAhead;
  readonly #access: ArchiveAccess;
  readonly #pointers: LfsPointers;
  readonly #dists: FetchedDists | undefined;
  readonly #kind: RefKind;
  readonly #ref: Ref;

  constructor(
    outcome: ReleaseOutcome,
    { reader, readAhead, access, pointers, dists, kind, ref, where, defaultBranch, signer, sourceUrl }: ReleaseContext,
    { version, normalized, reference }: Pick<Release, 'version' | 'normalized' | 'reference'>,
  ) {
    this.name = outcome.name;
    this.version = version;
    this.normalized = normalized;
    this.dev = isDevVersion(normalized);
    this.reference = reference;
    this.defaultBranch = defaultBranch;
    this.where = where;
    if (outcome.dist !== undefined) this.recordDigest = outcome.commit;
    else if (sourceUrl !== undefined && outcome.folder === '') this.sourceUrl = sourceUrl;
    if (signer !== undefined) this.signedBy = signer;
    this.#outcome = outcome;
    this.#reader = reader;
    this.#readAhead = readAhead;
    this.#access = access;
    this.#pointers = pointers;
    this.#dists = dists;
    this.#kind = kind;
    this.#ref = ref;
  }

  get branch(): string | undefined {
    return this.#kind === 'branch' ? decodeRefName(this.#ref.name) : undefined;
  }

  get time(): string | undefined {
    const { time } = this.#outcome;
    return time === null ? undefined : formatTime(time);
  }

  async composerJson(noteRepeated?: NoteRepeated): Promise<JsonObject> {
    const { composerFiles } = this.#reader;
    const file = this.#outcome.composerFile ?? (await composerFiles.find(this.#place));
    const json = file === undefined ? undefined : await composerFiles.read(file, this.#place, this.where, noteRepeated);
    if (json === undefined)
      throw new QuarantineError('BROKEN_OBJECT', 'composer.json was there a moment ago and is no longer.');
    return checkedComposerJson(json, this.name).json;
  }

  get content(): Content | ReadyArchive {
    const { dist } = this.#outcome;
    if (dist?.sha256 !== undefined && this.#dists !== undefined) return this.#dists.archive(dist, dist.sha256);
    const { name, oid } = this.#ref;
    return gitContent(this.#reader.store, {
      place: this.#place,
      ref: { name: `refs/${this.#kind === 'tag' ? 'tags' : 'heads'}/${name}`, oid, commit: this.#outcome.commit },
      composerJson: () => this.composerJson(),
      extraExcludes: this.#reader.selection.extraExcludes ?? [],
      entryTime: this.#outcome.committerTime,
      readAhead: this.#readAhead,
      access: this.#access,
      pointers: this.#pointers,
      where: this.where,
    });
  }

  get #place(): PackagePlace {
    return { commit: this.#outcome.commit, folder: this.#outcome.folder };
  }
}

/**
 * The commit, or the digest of the dist that the version names. A package in a folder has the beginning of the commit,
 * which git accepts too, and eight digits for the folder. The same package may come from another folder of the same
 * commit later, and different files must never have the same reference.
 */
function referenceOf({ commit, folder, dist }: ReleaseOutcome): string {
  if (dist?.sha256 !== undefined) return archiveReference(dist.sha256);
  if (folder === '') return commit;
  return commit.slice(0, -8) + createHash('sha256').update(folder).digest('hex').slice(0, 8);
}

/** The format of PHP's DATE_RFC3339 in UTC. undefined for an impossible time. */
function formatTime(seconds: number): string | undefined {
  return seconds > maxSeconds ? undefined : `${new Date(seconds * 1000).toISOString().slice(0, 19)}+00:00`;
}

/** The end of the year 9999. */
const maxSeconds = 253_402_300_799;
