// The port of all sources: a source lists releases cheaply, and reads composer.json and files only for a new
// publication. A source does not know the output tree.

import type { Deflated } from '../compression/deflate.ts';
import type { Reference, Sha1 } from '../contract/digest.ts';
import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import type { TextKind } from '../contract/package-texts.ts';
import type { DistLabel } from '../contract/paths.ts';
import type { NormalizedVersion } from '../contract/version.ts';
import type { NoteRepeated } from '../record/parse-composer-json.ts';
import type { Quarantine } from '../contract/quarantine.ts';

export interface Release {
  readonly name: PackageName;
  /** pretty version, safe as a path (paths.ts) */
  readonly version: DistLabel;
  readonly normalized: NormalizedVersion;
  /** dev versions may change their content; all others are immutable */
  readonly dev: boolean;
  readonly reference: Reference;
  /** of its archive, where that was published elsewhere before: a released version may have no other */
  readonly shasum?: Sha1;
  /** RFC 3339 UTC, whole seconds, e.g. 2026-01-31T12:00:00+00:00; undefined where the source knows none */
  readonly time: string | undefined;
  /** when another registry first published this content; RFC 3339, where it said so */
  readonly publishedTime?: string;
  /** of a git source, the branch that a dev version is */
  readonly branch?: string | undefined;
  /** the branch HEAD points at, of a git source */
  readonly defaultBranch: boolean;
  /** for people: `tag v1.0.0`, `branch main`, or the path of the composer.json */
  readonly where: string;
  /** where clients may fetch the repository itself at `reference`, if the source is to say so; holds no credential */
  readonly sourceUrl?: string;
  /**
   * where its composer.json is no part of its content, as an inline one: a digest of it, so that a change of it alone
   * is seen
   */
  readonly recordDigest?: string;
  /**
   * The composer.json, parsed and checked; `noteRepeated` hears of each key that occurs twice in one object of it.
   * Throws QuarantineError.
   */
  readonly composerJson: (noteRepeated?: NoteRepeated) => Promise<JsonObject>;
  /** The files an archive of this release holds, or the archive itself where the source has one. */
  readonly content: Content | ReadyArchive;
}

/** A ZIP that is published byte for byte as its source has it. */
export interface ReadyArchive {
  /**
   * Writes it to `target`, which must not exist. Throws QuarantineError for what may not be published; then `target` is
   * gone again.
   */
  readonly copyTo: (target: string) => Promise<{ readonly shasum: Sha1; readonly size: number }>;
  readonly texts?: () => Promise<PackageTexts>;
}

/**
 * The README and CHANGELOG in the package's own folder. What is wrong with one is not worth keeping a version back:
 * then there is none.
 */
export type PackageTexts = { readonly [Kind in TextKind]?: PackageText };

export interface PackageText {
  /** equal only for equal bytes, within one package and one build */
  readonly identity: string;
  /** undefined where it cannot be read */
  readonly read: () => Promise<Buffer | undefined>;
}

/** What is larger is no README. */
export const maxReadText = 16 * 1024 * 1024;

export interface Content {
  /** The files after all archive rules, in any order. Throws QuarantineError for what may not be published. */
  readonly list: () => Promise<ContentListing>;
  /** Also where the archive leaves them out. */
  readonly texts?: () => Promise<PackageTexts>;
  /** A content that the source has deflated already, from its scan; it may forget it with that. */
  readonly deflated?: (identity: string) => Deflated | undefined;
  /** The bytes of these files (of a symlink: its target), in the order given. Throws QuarantineError. */
  readonly read: (files: readonly ContentFile[]) => AsyncIterable<Uint8Array>;
  /** The time all entries carry, epoch seconds. */
  readonly entryTime: number;
  /**
   * Its composer.json need not give the release's name: all versions of a repository have the one that its default
   * branch gives.
   */
  readonly mayNameAnother?: true;
}

export interface ContentListing {
  readonly files: readonly ContentFile[];
  /** files left out because they look like credentials */
  readonly withheld: readonly string[];
}

export interface ContentFile {
  /** forward slashes, relative, valid UTF-8, no `.` or `..` segment */
  readonly path: string;
  readonly mode: 'file' | 'executable' | 'symlink';
  /** equal for equal bytes within one build, e.g. `git:<oid>` or `sha256:<hex>` */
  readonly identity: string;
}

/** What a source remembers from one build to the next. `detail` is the source's own. */
export interface SourceMemory {
  /** equal as long as reading the source again could only give the same */
  readonly fingerprint: string;
  readonly detail: JsonValue;
}

export type Scan =
  /** nothing was read: all is as `memory` has it */
  | { readonly outcome: 'unchanged' }
  | {
      readonly outcome: 'read';
      readonly releases: readonly Release[];
      /**
       * Releases of a package that has another name by now, under the name that their own composer.json gives. They are
       * also among `releases`, under the package's present name; as these they count only where they are what this
       * source has published.
       */
      readonly former?: readonly Release[];
      readonly quarantined: readonly Quarantine[];
      /**
       * things worth a line in the report that keep nothing from being published, e.g. tags skipped by Composer's rules
       */
      readonly notices: readonly string[];
      readonly memory: SourceMemory;
    }
  /** cannot be reached or read at all: it keeps what it last published */
  | { readonly outcome: 'failed'; readonly reason: string }
  /** what was fetched does not suffice: `fetch` has to be called again */
  | { readonly outcome: 'unfetched' };

export interface Source {
  /**
   * Of a source that is elsewhere: brings here what `scan` and the releases need, which then ask nobody. To be called
   * without the build's lock. Does nothing where that was done and suffices. What is wrong elsewhere is what the next
   * scan gives.
   */
  readonly fetch?: (previous: SourceMemory | undefined) => Promise<void>;
  readonly scan: (previous: SourceMemory | undefined) => Promise<Scan>;
  /** What was found while its versions were archived, for the report. */
  readonly remarks?: () => readonly string[];
  /** frees processes and files; called once after the build, whatever happened */
  readonly close: () => Promise<void>;
}
