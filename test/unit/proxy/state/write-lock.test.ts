// Tests the write lock of a state after its holder is gone.

import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';

import { processStart } from '../../../../build/shared/process/process-start.ts';
import { createWriteLock } from '../../../../proxy/state/write-lock.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';
import { makeZombie } from '../../../util/zombie.ts';

it('a process that was killed loses its turn, even where its parent has not reaped it', async () => {
  await using folder = temporaryFolder('turn');
  using zombie = await makeZombie();
  writeFileSync(folder.at('turn'), `${zombie.pid} ${zombie.startTicks}`);
  const end = await createWriteLock(folder.at('turn'), 100).take();
  end();
  writeFileSync(folder.at('turn'), `${process.pid} ${processStart(process.pid)}`);
  await expect(createWriteLock(folder.at('turn'), 100).take()).rejects.toThrow(
    `process with id ${process.pid} holds it`,
  );
});
