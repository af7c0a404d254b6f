// The steps of a build as lines, for --verbose. Pure.

import type { BuildReport, ProgressEvent } from '../../build/contract/build-report.ts';

/** `Read ./packages (1/2): unchanged since the last build` */
export function describeStep({ phase, done, total, label, detail }: ProgressEvent): string {
  const steps: Readonly<Record<ProgressEvent['phase'], string>> = {
    wait: 'Waiting',
    fetch: 'Fetched',
    scan: 'Read',
    archive: 'Compared and packed',
    publish: 'Publishing:',
    site: 'Wrote pages:',
  };
  const count = total > 0 ? ` (${done}/${total})` : '';
  return `${steps[phase]} ${label}${count}${detail === undefined ? '' : `: ${detail}`}`;
}

/** `Timings: sources 0.12 s, …` */
export function describeTimings({ timings_ms: { scan, archive, publish, total }, unchanged }: BuildReport): string[] {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
  return [
    `Timings: sources ${seconds(scan)}, packages ${seconds(archive)}, publication ${seconds(publish)}, total ${seconds(total)}.`,
    `Unchanged versions in the compared packages: ${unchanged}.`,
  ];
}
