// The options of a git source, and the inputs of one of its scans.

import type { PublishedSource } from '../../contract/publication.ts';
import type { SourceMemory } from '../release.ts';
import type { WaitOptions } from '../../output/wait-for-lock.ts';
import type { GitDirectory } from './git-directory.ts';
import type { GitEnvironment } from './git-environment.ts';
import type { DownloadOptions, FetchedDists } from './fetched-dists.ts';
import type { Refs } from './refs.ts';
import type { GitSelection, SelectRefs } from './selection.ts';
import type { Signers } from './signers.ts';

export interface GitSourceOptions extends GitSelection {
  readonly location:
    | { readonly kind: 'path'; readonly path: string }
    | { readonly kind: 'url'; readonly url: string; readonly now: () => Date };
  /** where a person names the source; default `configuration` */
  readonly from?: PublishedSource['from'];
  /** the folder of the copies of remote repositories, and of scratch files of `git archive` */
  readonly cacheDirectory: string;
  /** the limit of a fetch, and the longest pause of git while it reads objects */
  readonly timeoutMs: number;
  /** the limit of `git ls-remote`; default: `timeoutMs` */
  readonly askingTimeoutMs?: number | undefined;
  /** the maximum size of the copy of a remote repository; default 4 GiB */
  readonly maxBytes?: number | undefined;
  readonly environment: GitEnvironment;
  /** the keys that may sign tags; undefined: no signature is judged */
  readonly signers?: Signers | undefined;
  /** for the dists that a composer.json names; undefined: none is fetched, and no archive is made */
  readonly downloads?: DownloadOptions | undefined;
  /** ends each request to a remote */
  readonly stop?: AbortSignal | undefined;
  readonly progress?: WaitOptions['progress'];
}

/** A repository with known refs and readable objects. */
export interface Repository {
  /** the refs that the options select */
  readonly refs: Refs;
  readonly directory: GitDirectory;
}

/** The resources of the last scan. */
export interface OpenRepository {
  /** notices from making archives */
  remarks: (() => readonly string[]) | undefined;
  close: (() => Promise<void>) | undefined;
  /** opened for the first version that names a dist */
  dists: FetchedDists | undefined;
  /** the last scan found broken objects */
  broken: boolean;
}

/** The inputs of one scan. */
export interface ScanContext {
  readonly options: GitSourceOptions;
  readonly previous: SourceMemory | undefined;
  readonly select: SelectRefs;
  readonly fingerprint: (refs: Refs) => string;
  readonly state: OpenRepository;
}
