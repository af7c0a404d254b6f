// Logs failures of the origin: each cause at once, and then once a minute at most, however many requests fail.
// Failures of different files can have the same cause.

export interface OriginNotice {
  readonly state: 'failing' | 'recovered';
  /** why, where it fails */
  readonly reason?: string;
  /** how often for this cause since it was last told */
  readonly failures?: number;
}

export interface FailureLogOptions {
  readonly notice: (notice: OriginNotice) => void;
  readonly monotonicMs: () => number;
}

const noticeEveryMs = 60_000;
/** Of a cause that did not come up again for so long nothing is remembered. */
const forgottenAfterMs = 600_000;
/** An origin that finds ever new words does not fill the log: what is beyond so many causes in a minute is one more. */
const mostCauses = 8;
/** After a document could not be had, for so long what is served is called stale. */
const rememberMs = 10_000;

export class OriginFailureLog {
  readonly #notice: FailureLogOptions['notice'];
  readonly #monotonicMs: () => number;
  readonly #causes = new Map<string, { toldAtMs: number; failures: number }>();
  #unreachable = false;
  #textFailedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ notice, monotonicMs }: FailureLogOptions) {
    this.#notice = notice;
    this.#monotonicMs = monotonicMs;
  }

  /**
   * `publication`: nobody knows what is published now. `text`: a document or index is not to be had. `archive`: one
   * archive is not.
   */
  failed(what: 'publication' | 'text' | 'archive', error: unknown): void {
    const nowMs = this.#monotonicMs();
    if (what === 'publication') this.#unreachable = true;
    if (what === 'text') this.#textFailedAtMs = nowMs;
    const reason = error instanceof Error ? error.message : String(error);
    const cause = this.#causeOf(reason, nowMs);
    cause.failures += 1;
    if (nowMs - cause.toldAtMs < noticeEveryMs) return;
    cause.toldAtMs = nowMs;
    this.#notice({ state: 'failing', reason, failures: cause.failures });
    cause.failures = 0;
  }

  #causeOf(reason: string, nowMs: number): { toldAtMs: number; failures: number } {
    for (const [name, { toldAtMs, failures }] of this.#causes)
      if (nowMs - toldAtMs >= (failures === 0 ? noticeEveryMs : forgottenAfterMs)) this.#causes.delete(name);
    const own = causeIn(reason);
    const name = this.#causes.has(own) || this.#causes.size < mostCauses ? own : 'others';
    const cause = this.#causes.get(name) ?? { toldAtMs: Number.NEGATIVE_INFINITY, failures: 0 };
    this.#causes.set(name, cause);
    return cause;
  }

  /** What is published is known again. */
  reached(): void {
    if (!this.#unreachable) return;
    this.#unreachable = false;
    this.#causes.clear();
    this.#notice({ state: 'recovered' });
  }

  /** Whether what is served may be older than what is published. */
  stale(): boolean {
    return this.#unreachable || this.#monotonicMs() - this.#textFailedAtMs < rememberMs;
  }
}

/**
 * What is left of a reason without what differs from file to file: paths, digests, numbers of bytes. A status is part
 * of the cause.
 */
function causeIn(reason: string): string {
  return reason
    .replaceAll(/\S*\/\S*/g, '…')
    .replaceAll(/\b[0-9a-f]{40,64}\b/g, '…')
    .replaceAll(/\b\d{4,}\b|\b\d+(?= (?:of|bytes)\b)/g, '…');
}
