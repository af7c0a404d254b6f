// The pace of the running task of a command: its rate, and the remaining time once both can be estimated. Pure.

/** Text about the pace: `35/s, 22 s left`; empty while unknown. `nowMs`: any clock that never goes back. */
export type Pace = (event: PacedEvent, nowMs: number) => string;

/** `total` is 0 while unknown. */
interface PacedEvent {
  readonly phase: string;
  readonly done: number;
  readonly total: number;
}

/** A younger estimate would jump. */
const leastMs = 2000;
/** The rate is that of the last seconds, since packages differ in size. */
const windowMs = 15_000;
/** The distance of measurements: there are few, however many events come. */
const sampleMs = 250;

interface Sample {
  readonly done: number;
  readonly atMs: number;
}

/** Each phase begins a new measurement. */
export function createPace(): Pace {
  let phase: string | undefined;
  let samples: readonly Sample[] = [];
  return (event, nowMs) => {
    if (event.phase !== phase) samples = [];
    ({ phase } = event);
    const last = samples.at(-1);
    if (last === undefined || nowMs - last.atMs >= sampleMs)
      samples = [...withinWindow(samples, nowMs), { done: event.done, atMs: nowMs }];
    const first = samples[0] ?? { done: event.done, atMs: nowMs };
    const rate = ((event.done - first.done) * 1000) / Math.max(1, nowMs - first.atMs);
    if (event.total === 0 || nowMs - first.atMs < leastMs || rate <= 0) return '';
    return `${formatRate(rate)}, ${formatDuration((event.total - event.done) / rate)} left`;
  };
}

/** The samples of the window, and the one before: an item may take longer than the window. */
function withinWindow(samples: readonly Sample[], nowMs: number): readonly Sample[] {
  return samples.filter((_, at) => (samples[at + 1]?.atMs ?? nowMs) >= nowMs - windowMs);
}

/** `35/s`, `4.2/s`, or `12/min` below one a second */
function formatRate(perSecond: number): string {
  if (perSecond < 1) return `${Math.max(1, Math.round(perSecond * 60))}/min`;
  return `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`;
}

/** `22 s`, `3 min`, `1 h 05 min` */
function formatDuration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
