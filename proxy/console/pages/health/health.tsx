// The page about health: what `libretto doctor` says of this registry.

import { SingleFlight } from '../../../../build/shared/concurrency/single-flight.ts';
import type { Inspection } from '../../../inspection/inspection.ts';
import type { PageRequest, PageView } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import type { FormState } from '../../request/form-fields.ts';
import { HealthPage } from './health-page.tsx';
import { createHealthWatch, type HealthWatch } from './health-watch.ts';

export interface HealthPageServices {
  readonly inspection: () => Promise<Inspection>;
}

const refreshSeconds = 3;

export function registerHealthPage(pages: Pages, { inspection }: HealthPageServices): void {
  const watches = new SingleFlight<HealthWatch>({ keeps: 'fulfilled' });
  const watch = (): Promise<HealthWatch> => watches.run('', async () => createHealthWatch((await inspection()).health));
  pages.form({
    path: '/health',
    operation: 'getHealth',
    show: async (request, form) => showHealth(await watch(), request, form),
    submit: async () => {
      (await watch()).begin();
      return { to: '/health' };
    },
  });
}

/** The first visit begins a check. */
function showHealth(watch: HealthWatch, { nowMs }: PageRequest, form: FormState): PageView {
  const { report, failure } = watch.status();
  if (report === undefined && failure === undefined) watch.begin();
  const standing = watch.status();
  return {
    title: 'Health',
    section: 'health',
    ...(standing.isChecking ? { refreshSeconds } : {}),
    content: <HealthPage {...{ standing, form, nowMs, refreshSeconds }} />,
  };
}
