// Tests the line of a running build, and that a pipe gets none.

import { expect, it } from 'vitest';
import { createPace, progressLine, startProgress } from '../../../../cli/io/progress.ts';

const label = 'acme/a-package-with-a-rather-long-name-for-a-line';

it('shows task, count, name, rate and remaining time within the width', () => {
  const pace = createPace();
  const event = { phase: 'archive', total: 900, label } as const;
  const first = progressLine({ ...event, done: 10 }, pace, 0, 76);
  expect(first).toBe(`Writing archives 10/900 ${label}`);
  const later = progressLine({ ...event, done: 150 }, pace, 4000, 76);
  expect(later).toBe('Writing archives 150/900 acme/a-package-with-a-rather-lon… (35/s, 22 s left)');
  expect(later.length).toBeLessThanOrEqual(76);
});

it('shows a count without a total', () => {
  const event = { phase: 'connect', total: 0, label: 'acme/tool' } as const;
  const lines = [0, 120].map((done) => progressLine({ ...event, done }, createPace(), 0, 76));
  expect(lines).toEqual(['Reading repositories acme/tool', 'Reading repositories 120 acme/tool']);
});

it('shows no control characters of a name', () => {
  const event = { phase: 'scan', done: 1, total: 2, label: '\u001b[31mred' } as const;
  expect(progressLine(event, createPace(), 0, 76)).toBe(String.raw`Reading sources 1/2 \u001b[31mred`);
});

it('writes waits alone to a pipe', async () => {
  let written = '';
  const progress = await startProgress({ write: (text) => (written += text) }, () => 0);
  progress.show({ phase: 'scan', done: 1, total: 2, label });
  expect(written).toBe('');
  progress.show({ phase: 'wait', done: 0, total: 0, label: 'at most 60 s for another build' });
  progress.stop();
  expect(written).toBe('Waiting at most 60 s for another build.\n');
});
