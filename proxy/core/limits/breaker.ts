// A circuit breaker between requests and a server that may be down. While the breaker is open, only a trial request
// goes to the server, once a period. The first successful trial closes the breaker, so that no client request pays for
// the discovery that the server is still down.

export interface BreakerOptions {
  /** time from a failure to the next trial */
  readonly periodMs: number;
  /** Sends the server a trial command that works like a request's. Rejects while the server fails. */
  readonly trial: () => Promise<unknown>;
  /** Called when it opens, and with every trial that fails. */
  readonly onFailure: (reason: unknown) => void;
  readonly onRecovery: () => void;
}

export type Breaker = ReturnType<typeof createBreaker>;

export function createBreaker({ periodMs, trial, onFailure, onRecovery }: BreakerOptions) {
  let timer: NodeJS.Timeout | undefined;
  let open = false;
  let closed = false;

  const schedule = (): void => {
    if (!closed) timer = setTimeout(attempt, periodMs).unref();
  };
  const attempt = (): void => {
    trial().then(
      () => {
        open = false;
        if (!closed) onRecovery();
      },
      (reason: unknown) => {
        if (!closed) onFailure(reason);
        schedule();
      },
    );
  };
  return {
    isOpen: () => open,
    trip: (reason: unknown): void => {
      if (open || closed) return;
      open = true;
      onFailure(reason);
      schedule();
    },
    /** Ends the trials. */
    close: (): void => {
      closed = true;
      clearTimeout(timer);
    },
  };
}
