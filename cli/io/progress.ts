// Shows the progress of a long command on one line of a terminal: the task, its rate and the remaining time.

import type { ProgressEvent } from '../../build/contract/build-report.ts';
import type { TextStream } from './answer-stream.ts';
import { printable } from './output.ts';
import { createPace, type Pace } from './pace.ts';

/** `connect`: the repositories of an owner are read at the forge. `approve`: a person decides. The others are of a build. */
type Phase = ProgressEvent['phase'] | 'connect' | 'approve';

type CommandProgressEvent = Omit<ProgressEvent, 'phase' | 'detail'> & { readonly phase: Phase };

export interface Progress {
  readonly show: (event: CommandProgressEvent) => void;
  /** takes the line away again */
  readonly stop: () => void;
}

const silent: Progress = { show: () => undefined, stop: () => undefined };

const doing: Readonly<Record<Phase, string>> = {
  fetch: 'Fetching',
  scan: 'Reading sources',
  archive: 'Writing archives',
  publish: 'Publishing',
  site: 'Writing pages',
  connect: 'Reading repositories',
  approve: 'Waiting for your approval',
};

/** A longer line would wrap beside the spinner. */
const longest = 76;

/** `now`: milliseconds. `first`: the task before the first event. Shows nothing on a stream that is no terminal. */
export async function startProgress(stream: TextStream, now: () => number, first: Phase = 'scan'): Promise<Progress> {
  // ora would clear lines forever on a terminal without a known width (some CI runners have one)
  if (stream.isTTY !== true || !((stream.columns ?? 0) > 0)) return silent;
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
 * `Writing archives 120/900 acme/tool (35/s, 22 s left)`, or `Reading repositories 120 acme/tool` without a known total,
 * with the label cut to fit `width` characters.
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
