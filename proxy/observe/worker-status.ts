// The processes that serve one address together, as one of them knows of them.

export interface WorkerStatus {
  /** how many there are to be */
  readonly size: number;
  /** how many serve right now */
  readonly running: () => number;
}
