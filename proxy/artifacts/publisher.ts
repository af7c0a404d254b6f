// The port to what publishes and withdraws artifacts: the builder, in a process of its own or, on the command line, in this one.

/** A complete upload, waiting below `artifacts/.staging`. */
export interface StagedUpload {
  /** absolute */
  readonly path: string;
  /** what whoever sent it says it is; it is refused where composer.json says something else */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

export interface ContentOfVersion {
  readonly name: string;
  readonly version: string;
  readonly reference: string;
}

export interface Publication {
  readonly name: string;
  readonly version: string;
  readonly version_normalized: string;
  readonly reference: string;
  readonly sha256: string;
  readonly sha1: string;
  readonly size: number;
  readonly url: string;
  readonly serial: number;
}

/** Both throw RegistryError: what the artifact was refused for, or BUILD_BUSY. */
export interface ArtifactPublisher {
  /** The staged file is gone afterwards, whatever happened. */
  readonly publish: (upload: StagedUpload) => Promise<Publication>;
  /** Doing it again changes nothing. */
  readonly withdraw: (content: ContentOfVersion) => Promise<void>;
}

