// The report of a build: the document that `libretto build --json` prints. Its field names are part of the interface to
// scripts.

import type { Quarantine } from './quarantine.ts';

/** Represents the tree itself as the source of notices. */
export const dataFolder = 'data folder';

export interface VersionLine {
  readonly name: string;
  readonly version: string;
  readonly source: string;
}

export interface BuildReport {
  /** the serial of the current publication; 0 before the first one */
  readonly serial: number;
  /** false: the served tree is unchanged */
  readonly published: boolean;
  readonly added: readonly VersionLine[];
  readonly changed: readonly VersionLine[];
  readonly withdrawn: readonly VersionLine[];
  /** unchanged versions, in the packages with other changes */
  readonly unchanged: number;
  readonly quarantined: readonly (Quarantine & { readonly source: string })[];
  /** releases that their sources have, and that are purged: neither they nor their bytes are published again */
  readonly blocked: readonly (VersionLine & { readonly reason: string; readonly purged_at: string })[];
  readonly failed: readonly { readonly source: string; readonly reason: string }[];
  readonly notices: readonly { readonly source: string; readonly message: string }[];
  /** archives that no document names and that stay retrievable until `prune` */
  readonly retained: readonly (VersionLine & { readonly reference: string })[];
  readonly timings_ms: {
    readonly scan: number;
    readonly archive: number;
    readonly publish: number;
    readonly total: number;
  };
}

/** The notices about the data folder itself, for example a lost file. */
export function folderNotices({ notices }: Pick<BuildReport, 'notices'>): readonly string[] {
  return notices.flatMap(({ source, message }) => (source === dataFolder ? [message] : []));
}

/** The running task, for a progress line. `total` is 0 while unknown. */
export interface ProgressEvent {
  /** `wait`: another process holds a lock; `site`: the pages of the catalogue, after the publication */
  readonly phase: 'wait' | 'fetch' | 'scan' | 'archive' | 'publish' | 'site';
  readonly done: number;
  readonly total: number;
  readonly label: string;
  /** what was found, and why; for people */
  readonly detail?: string;
}
