// Logs failures of the origin: each new cause immediately, and then once a minute at most, for any number of failed
// requests. Failures of different files can have the same cause.

export interface OriginNotice {
  readonly state: 'failing' | 'recovered';
  /** the reason of a failure */
  readonly reason?: string;
  /** the number of failures with this cause since its last notice */
  readonly failures?: number;
}

export interface FailureLogOptions {
  readonly notice: (notice: OriginNotice) => void;
  readonly monotonicMs: () => number;
}

const noticeEveryMs = 60_000;
/** A cause without failures for this time is forgotten. */
const forgottenAfterMs = 600_000;
/**
 * The number of causes that are logged by themselves within a minute; all further ones count as one more. An origin
 * with ever new messages therefore does not fill the log.
 */
const mostCauses = 8;
/** For this time after a failed document the served data counts as stale. */
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
   * `publication`: the current publication is unknown. `text`: a document or index is unavailable. `archive`: one
   * archive is unavailable.
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

  /** The current publication is known again. */
  reached(): void {
    if (!this.#unreachable) return;
    this.#unreachable = false;
    this.#causes.clear();
    this.#notice({ state: 'recovered' });
  }

  /** True if the served data may be older than the publication. */
  stale(): boolean {
    return this.#unreachable || this.#monotonicMs() - this.#textFailedAtMs < rememberMs;
  }
}

/**
 * A reason without the parts that differ from file to file: paths, digests, numbers of bytes. A status is part of the
 * cause.
 */
function causeIn(reason: string): string {
  return reason
    .replaceAll(/\S*\/\S*/g, '…')
    .replaceAll(/\b[0-9a-f]{40,64}\b/g, '…')
    .replaceAll(/\b\d{4,}\b|\b\d+(?= (?:of|bytes)\b)/g, '…');
}
