// The port of all sources: a source lists releases cheaply, and reads composer.json and files only for a new
// publication. A source does not know the output tree.

import type { Content, ReadyArchive } from '../archive/content.ts';
import type { Reference, Sha1 } from '../contract/digest.ts';
import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import type { DistLabel } from '../contract/paths.ts';
import type { Signer } from '../contract/signer.ts';
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
  /** of its archive, if another registry published it before: a released version must keep this digest */
  readonly shasum?: Sha1;
  /** RFC 3339 UTC, whole seconds, e.g. 2026-01-31T12:00:00+00:00; undefined if the source knows none */
  readonly time: string | undefined;
  /** when another registry first published this content, RFC 3339; undefined if unknown */
  readonly publishedTime?: string;
  /** git sources: the branch of a dev version */
  readonly branch?: string | undefined;
  /** who signed the tag of a git source with a known key */
  readonly signedBy?: Signer;
  /** the branch HEAD points at, of a git source */
  readonly defaultBranch: boolean;
  /** for people: `tag v1.0.0`, `branch main`, or the path of the composer.json */
  readonly where: string;
  /** the repository's URL that clients may fetch at `reference`, if the source includes it; without credentials */
  readonly sourceUrl?: string;
  /**
   * for an inline composer.json, which is no part of the content: its digest, so that a build notices a change of it
   */
  readonly recordDigest?: string;
  /**
   * The composer.json, parsed and checked; `noteRepeated` receives each key that occurs twice in one object of the
   * file. Throws QuarantineError.
   */
  readonly composerJson: (noteRepeated?: NoteRepeated) => Promise<JsonObject>;
  /** The files of this release's archive, or the archive itself if the source has one. */
  readonly content: Content | ReadyArchive;
}

/** The memory of a source from one build to the next. `detail` has the source's own format. */
export interface SourceMemory {
  /** equal as long as reading the source again could only give the same */
  readonly fingerprint: string;
  readonly detail: JsonValue;
}

export type Scan =
  /** the source was not read: `memory` is still valid */
  | { readonly outcome: 'unchanged' }
  | {
      readonly outcome: 'read';
      readonly releases: readonly Release[];
      /**
       * Releases of a renamed package, under the name in their own composer.json. They are also among `releases`, under
       * the package's present name. Under the old name they count only if this source has published them.
       */
      readonly former?: readonly Release[];
      readonly quarantined: readonly Quarantine[];
      /** remarks for the report that prevent no publication, e.g. tags skipped by Composer's rules */
      readonly notices: readonly string[];
      readonly memory: SourceMemory;
    }
  /** the source cannot be reached or read at all: its published versions stay */
  | { readonly outcome: 'failed'; readonly reason: string }
  /** the fetched data is incomplete: the caller has to call `fetch` again */
  | { readonly outcome: 'unfetched' };

export interface Source {
  /**
   * For remote sources: fetches all data that `scan` and the releases need, so that these use no network. Call it
   * without the build's lock. Does nothing if the data is already complete. The next scan reports any error of the
   * fetch.
   */
  readonly fetch?: (previous: SourceMemory | undefined) => Promise<void>;
  readonly scan: (previous: SourceMemory | undefined) => Promise<Scan>;
  /** Remarks from the archiving of its versions, for the report. */
  readonly remarks?: () => readonly string[];
  /** frees processes and files; called once after the build, after success or failure */
  readonly close: () => Promise<void>;
}
