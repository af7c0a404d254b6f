export type DiskFault = 'kill' | 'power loss' | 'ENOSPC' | 'EDQUOT' | 'EROFS' | 'EIO' | 'EACCES' | 'EMFILE';
export interface Watched {
  readonly operations: number;
  /** `call path`, each in turn */
  readonly log: readonly string[];
  /** the operation that met the fault; undefined where there were fewer than `at` */
  readonly met: string | undefined;
}
/** What everything after a kill throws. */
export declare class Killed extends Error {}
/** From now on what changes something below `folder` is counted, and the operation number `at` (from 1) meets the fault. A full disk stays full. */
export declare function watchDisk(folder: string, fault?: { readonly at: number; readonly kind: DiskFault; readonly random?: () => number }): void;
/** All is well with the disk again; after a power loss it holds what that left. */
export declare function endWatch(): Watched;
