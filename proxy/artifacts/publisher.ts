// The port to the publisher of artifacts: the builder in a separate process or, on the command line, in this one.

import type { ArtifactRecord } from './artifact.ts';
import type { PublishedFrom } from './published-from.ts';

/** A complete upload, waiting below `artifacts/.staging`. */
export interface StagedUpload {
  /** absolute */
  readonly path: string;
  /** the package name by the sender; refused if composer.json has another one */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** the CI job with a token of a trusted publisher; undefined: another token, or a person */
  readonly from?: PublishedFrom | undefined;
  /** true: a new version waits for a person */
  readonly stages?: boolean;
}

export type ContentOfVersion = Pick<ArtifactRecord, 'name' | 'version' | 'reference'>;

/** The builder's facts about a published artifact and its publication. */
export type ArtifactPublication = Pick<
  ArtifactRecord,
  'name' | 'version' | 'version_normalized' | 'reference' | 'sha256' | 'sha1' | 'size' | 'url'
> & { readonly serial: number };

/** Remarks on the package for its maker. `staged`: it is stored, and waits. */
export type Remarked = { readonly notices: readonly string[]; readonly staged: boolean };

/** Both throw RegistryError: the reason of the refusal, or BUILD_BUSY. */
export interface ArtifactPublisher {
  /** The staged file is removed in any case. */
  readonly publish: (upload: StagedUpload) => Promise<ArtifactPublication & Remarked>;
  /** Publishes a staged upload. A repeated call changes nothing. */
  readonly approve: (content: ContentOfVersion) => Promise<ArtifactPublication & Remarked>;
  /** A repeated call changes nothing. */
  readonly withdraw: (content: ContentOfVersion) => Promise<void>;
}
