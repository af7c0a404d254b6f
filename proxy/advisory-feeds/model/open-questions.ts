// The packages that one feed has not answered about yet, and when each question may be asked again: within seconds, and
// ever later while the same question fails. A feed that fails about several packages rests for a while. Pure.

import type { PackageName } from '../../../build/contract/name.ts';

interface OpenQuestion {
  readonly failures: number;
  readonly dueAtMs: number;
}

const firstPauseMs = 1000;
/** Between two questions about one package. */
const longestPauseMs = 60_000;
/** How long a feed rests. */
const longestRestMs = 30_000;
const mostOpen = 1000;
const mostAtOnce = 20;

export class OpenQuestions {
  readonly #open = new Map<PackageName, OpenQuestion>();
  /** packages whose questions failed since the last answer; two are enough */
  readonly #failed = new Set<PackageName>();
  /** failures since the last answer; questions that were asked together count once */
  #failures = 0;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #restsUntilMs = Number.NEGATIVE_INFINITY;

  /** Oldest first. */
  names(): readonly PackageName[] {
    return [...this.#open.keys()];
  }

  has(name: PackageName): boolean {
    return this.#open.has(name);
  }

  mayAsk(name: PackageName, nowMs: number): boolean {
    return nowMs >= this.#restsUntilMs && nowMs >= (this.#open.get(name)?.dueAtMs ?? 0);
  }

  /** The question waits, because the feed rests or too many questions are under way. */
  hold(name: PackageName, nowMs: number): void {
    if (!this.has(name)) this.#keep(name, { failures: 0, dueAtMs: nowMs });
  }

  /** Returns how often this question failed. */
  failed(name: PackageName, askedAtMs: number, nowMs: number): number {
    const failures = (this.#open.get(name)?.failures ?? 0) + 1;
    this.#keep(name, { failures, dueAtMs: nowMs + pauseMs(failures, longestPauseMs) });
    if (this.#failed.size < 2) this.#failed.add(name);
    if (askedAtMs >= this.#failedAtMs) {
      this.#failures += 1;
      this.#failedAtMs = nowMs;
    }
    // one question that always fails says nothing of the others
    if (this.#failed.size > 1) this.#restsUntilMs = nowMs + pauseMs(this.#failures, longestRestMs);
    return failures;
  }

  /** The name does not belong to the feed. */
  dismiss(name: PackageName): void {
    this.#open.delete(name);
  }

  answered(name: PackageName): void {
    this.dismiss(name);
    this.#failed.clear();
    this.#failures = 0;
    this.#restsUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** A run of the feed, or another process, has the answer. */
  drop(isKnown: (name: PackageName) => boolean): void {
    for (const name of this.#open.keys()) if (isKnown(name)) this.#open.delete(name);
  }

  /** The questions to ask now; those that failed least come first. A feed that fails is asked one of them. */
  due(nowMs: number): readonly PackageName[] {
    if (nowMs < this.#restsUntilMs) return [];
    const due = [...this.#open].filter(([, { dueAtMs }]) => nowMs >= dueAtMs);
    const sorted = due.toSorted(([, one], [, other]) => one.failures - other.failures);
    return sorted.slice(0, this.#failed.size > 1 ? 1 : mostAtOnce).map(([name]) => name);
  }

  /** Epoch milliseconds of the next question; undefined: none is open. */
  nextAtMs(): number | undefined {
    if (this.#open.size === 0) return undefined;
    const first = [...this.#open.values()].reduce((least, { dueAtMs }) => Math.min(least, dueAtMs), Infinity);
    return Math.max(first, this.#restsUntilMs);
  }

  #keep(name: PackageName, question: OpenQuestion): void {
    this.#open.set(name, question);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= mostOpen) break;
      this.#open.delete(oldest);
    }
  }
}

function pauseMs(failures: number, longestMs: number): number {
  return Math.min(longestMs, firstPauseMs * 2 ** Math.min(failures - 1, 20));
}
