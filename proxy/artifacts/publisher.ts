// The port to the publisher of artifacts: the builder in a separate process or, on the command line, in this one.

import type { ArtifactRecord } from './artifact.ts';

/** A complete upload, waiting below `artifacts/.staging`. */
export interface StagedUpload {
  /** absolute */
  readonly path: string;
  /** what whoever sent it says it is; it is refused where composer.json says something else */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

export type ContentOfVersion = Pick<ArtifactRecord, 'name' | 'version' | 'reference'>;

/** What the builder knows of an artifact once it is published, and as which publication. */
export type Publication = Pick<
  ArtifactRecord,
  'name' | 'version' | 'version_normalized' | 'reference' | 'sha256' | 'sha1' | 'size' | 'url'
> & { readonly serial: number };

/** Both throw RegistryError: what the artifact was refused for, or BUILD_BUSY. */
export interface ArtifactPublisher {
  /** The staged file is gone afterwards, whatever happened. */
  readonly publish: (upload: StagedUpload) => Promise<Publication>;
  /** Doing it again changes nothing. */
  readonly withdraw: (content: ContentOfVersion) => Promise<void>;
}
