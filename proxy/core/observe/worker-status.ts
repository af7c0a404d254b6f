// The status of all processes that serve one address, as known to one of them.

export interface WorkerStatus {
  /** the wanted number of workers */
  readonly size: number;
  /** the number of serving workers */
  readonly running: () => number;
}
