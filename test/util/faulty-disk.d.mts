export type DiskFault = 'kill' | 'power loss' | 'ENOSPC' | 'EDQUOT' | 'EROFS' | 'EIO' | 'EACCES' | 'EMFILE';
export interface Watched {
  readonly operations: number;
  /** `call path`, each in turn */
  readonly log: readonly string[];
  /** the operation that met the fault; undefined where there were fewer than `at` */
  readonly met: string | undefined;
}
/** The error of every operation after a kill. */
export declare class Killed extends Error {}
/**
 * From now on, changing operations below `folder` are counted, and the operation number `at` (from 1) meets the fault.
 * A full disk stays full.
 */
export declare function watchDisk(
  folder: string,
  fault?: { readonly at: number; readonly kind: DiskFault; readonly random?: () => number },
): void;
/** Ends the fault; after a power loss, the disk has what the loss left. */
export declare function endWatch(): Watched;
