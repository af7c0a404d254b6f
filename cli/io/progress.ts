// Shows the progress of a long command on one line of a terminal: the task, its rate and the remaining time.

import type { ProgressEvent } from '../../build/contract/build-report.ts';
import type { TextStream } from './answer-stream.ts';
import { printable, printLines } from './output.ts';

/**
 * `connect`: the repositories of an owner are read at the forge. `approve`: a person decides. `adopt`: the packages of
 * another registry are read. `bundle` and `check`: a bundle is written, and read. `verify`: the objects of a store are
 * read. The others are of a build.
 */
type Phase = ProgressEvent['phase'] | 'connect' | 'approve' | 'adopt' | 'bundle' | 'check' | 'verify';

type CommandProgressEvent = Omit<ProgressEvent, 'phase' | 'detail'> & { readonly phase: Phase };

export interface Progress {
  readonly show: (event: CommandProgressEvent) => void;
  /** takes the line away again */
  readonly stop: () => void;
}

/** For a command without that line: only a wait for another process is told, in a line of its own. */
export function waitLine(stream: TextStream): (event: CommandProgressEvent) => void {
  return ({ phase, label }) => {
    if (phase === 'wait') printLines(stream, [`${doing.wait} ${label}.`]);
  };
}

const doing: Readonly<Record<Phase, string>> = {
  wait: 'Waiting',
  fetch: 'Fetching',
  scan: 'Reading sources',
  archive: 'Writing archives',
  publish: 'Publishing',
  site: 'Writing pages',
  connect: 'Reading repositories',
  approve: 'Waiting for your approval',
  adopt: 'Taking over packages',
  bundle: 'Writing the bundle',
  check: 'Checking the bundle',
  verify: 'Reading objects',
};

/** A longer line would wrap beside the spinner. */
const longest = 76;

/** `now`: milliseconds. `first`: the task before the first event. A stream that is no terminal gets the waits. */
export async function startProgress(stream: TextStream, now: () => number, first: Phase = 'scan'): Promise<Progress> {
  // ora would clear lines forever on a terminal without a known width (some CI runners have one)
  if (stream.isTTY !== true || !((stream.columns ?? 0) > 0)) return { show: waitLine(stream), stop: () => undefined };
  const { default: ora } = await import('ora');
  const color = stream.colors === true ? 'cyan' : false;
  const spinner = ora({ text: doing[first], discardStdin: false, color }).start();
  const pace = createPace();
  return {
    show: (event) => {
      spinner.text = progressLine(event, pace, now(), Math.min(longest, (stream.columns ?? 80) - 4));
    },
    stop: () => void spinner.stop(),
  };
}

/**
 * `Writing archives 120/900 acme/tool (35/s, 22 s left)`, or `Reading repositories 120 acme/tool` without a known
 * total, with the label cut to fit `width` characters.
 */
export function progressLine(event: CommandProgressEvent, pace: Pace, nowMs: number, width: number): string {
  const { phase, label } = event;
  const head = `${doing[phase]}${countOf(event)} `;
  const known = pace(event, nowMs);
  const tail = known === '' ? '' : ` (${known})`;
  const room = Math.max(0, width - head.length - tail.length);
  const name = printable(label);
  return `${head}${name.length > room ? `${name.slice(0, Math.max(0, room - 1))}…` : name}${tail}`;
}

function countOf({ done, total }: CommandProgressEvent): string {
  if (total > 0) return ` ${done}/${total}`;
  return done > 0 ? ` ${done}` : '';
}

// The pace of the running task of a command: its rate, and the remaining time once both can be estimated. Pure.

/** Text about the pace: `35/s, 22 s left`; empty while unknown. `nowMs`: any clock that never goes back. */
type Pace = (event: PacedEvent, nowMs: number) => string;

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
