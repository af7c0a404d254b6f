// Whether the origin does what it should, and who is told when it does not: the log once a minute, whatever is asked meanwhile.

export interface OriginNotice {
  readonly state: 'failing' | 'recovered';
  /** why, where it fails */
  readonly reason?: string;
  /** how often since the last notice */
  readonly failures?: number;
}

export interface TroubleOptions {
  readonly notice: (notice: OriginNotice) => void;
  readonly monotonicMs: () => number;
}

const noticeEveryMs = 60_000;
/** After a document could not be had, for so long what is served is called stale. */
const rememberMs = 10_000;

export class OriginTrouble {
  readonly #notice: TroubleOptions['notice'];
  readonly #monotonicMs: () => number;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #unreachable = false;
  #textFailedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ notice, monotonicMs }: TroubleOptions) {
    this.#notice = notice;
    this.#monotonicMs = monotonicMs;
  }

  /** `publication`: nobody knows what is published now. `text`: a document or index is not to be had. `archive`: one archive is not. */
  failed(what: 'publication' | 'text' | 'archive', error: unknown): void {
    const nowMs = this.#monotonicMs();
    this.#failures += 1;
    if (what === 'publication') this.#unreachable = true;
    if (what === 'text') this.#textFailedAtMs = nowMs;
    if (nowMs - this.#toldAtMs < noticeEveryMs) return;
    this.#toldAtMs = nowMs;
    this.#notice({ state: 'failing', reason: error instanceof Error ? error.message : String(error), failures: this.#failures });
    this.#failures = 0;
  }

  /** What is published is known again. */
  reached(): void {
    if (!this.#unreachable) return;
    this.#unreachable = false;
    this.#toldAtMs = Number.NEGATIVE_INFINITY;
    this.#failures = 0;
    this.#notice({ state: 'recovered' });
  }

  /** Whether what is served may be older than what is published. */
  stale(): boolean {
    return this.#unreachable || this.#monotonicMs() - this.#textFailedAtMs < rememberMs;
  }
}
