// Shows the progress of a build on standard error, at a terminal only.

import type { ProgressEvent } from '../../build/contract/build-report.ts';
import type { TextStream } from './answer-stream.ts';
import { printable } from './output.ts';

export interface Progress {
  readonly show: (event: ProgressEvent) => void;
  /** takes the line away again */
  readonly stop: () => void;
}

const silent: Progress = { show: () => undefined, stop: () => undefined };

const doing: Readonly<Record<ProgressEvent['phase'], string>> = {
  fetch: 'Fetching',
  scan: 'Reading sources',
  archive: 'Writing archives',
  publish: 'Publishing',
};

export async function startProgress(stderr: TextStream): Promise<Progress> {
  // ora would clear lines forever on a terminal without a known width (some CI runners have one)
  if (stderr.isTTY !== true || !((stderr.columns ?? 0) > 0)) return silent;
  const { default: ora } = await import('ora');
  const spinner = ora({ text: 'Reading sources', discardStdin: false }).start();
  return {
    show: ({ phase, done, total, label }) => {
      const text = `${doing[phase]}${total > 0 ? ` ${done}/${total}` : ''} ${printable(label)}`;
      spinner.text = text.length > 70 ? `${text.slice(0, 69)}…` : text;
    },
    stop: () => void spinner.stop(),
  };
}
