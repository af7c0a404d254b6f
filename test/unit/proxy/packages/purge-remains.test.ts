// Tests the sentences of a purge about copies in git remotes. A plan claims no finished step, and a purge has to run
// again once the remote is clean.

import { expect, it } from 'vitest';
import { remainsOf } from '../../../../proxy/packages/purge-remains.ts';
import type { PurgeResult } from '../../../../proxy/packages/version-purger.ts';

const outcome: PurgeResult = {
  name: 'acme/hello',
  version: '1.0.0',
  reason: 'secret',
  since: '2026-01-01T00:00:00Z',
  serial: 2,
  contents: [],
  alike: [],
  files: [],
  sources: ['git:https://git.example.org/hello.git'],
};

it('the sentences ask for a second purge after the remote is cleaned', () => {
  for (const isPlanned of [true, false]) {
    expect(remainsOf(outcome, isPlanned).join('\n')).toContain(
      'Purge the version once more after the remote is cleaned',
    );
  }
});

it('the sentences report removed copies only after the purge', () => {
  expect(remainsOf(outcome, false).join('\n')).toMatch(/taken before 2026-01-01.*\n.*\n.*were removed/);
  expect(remainsOf(outcome, true).join('\n')).not.toMatch(/were removed|taken before \d/);
});
