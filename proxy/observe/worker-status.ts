// The processes that serve one address together, as one of them knows of them.

export interface WorkerStatus {
  /** the wanted number of workers */
  readonly size: number;
  /** the number of serving workers */
  readonly running: () => number;
}
