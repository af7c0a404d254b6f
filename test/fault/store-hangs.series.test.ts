// Tests the follower of a server while its object store hangs: it gives the lock back as soon as clients give up.

import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Publication } from '../../build/contract/publication.ts';
import { loadConfig } from '../../cli/config/config.ts';
import { followOutput } from '../../cli/data-folder/follow-output.ts';
import { startHostileStore } from '../util/hostile-store.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

// three attempts of ten seconds; a command makes six of two minutes
it('holds the lock of builds for half a minute while the store hangs', { timeout: 120_000 }, async () => {
  const folder = temporaryFolder('follow-output');
  await using store = await startHostileStore();
  store.fault = () => ({ delayMs: 600_000 });
  const flags = { data: folder.at('data'), output: `s3://${store.bucket}/registry` };
  const { environment } = store;
  const config = await loadConfig({ flags, environment, workingDirectory: folder.path });
  const context = { environment, now: () => new Date() };
  const announced = Promise.resolve({ serial: 1 } as Publication);
  let stop: (() => Promise<void>) | undefined;
  const failure = await new Promise<unknown>((resolve) => {
    stop = followOutput(config, context, () => announced, resolve);
  });
  expect(failure).toMatchObject({ name: 'StoreFailure', kind: 'unreachable' });
  expect(existsSync(folder.at('data/build/lock'))).toBe(false);
  await stop?.();
  await folder.remove();
});
