// Tests what the check of a state says when its separate process ends before it has read the state. A stand-in of
// Node.js ends in each way.

import { chmodSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, expect, it } from 'vitest';
import { readStateWhole } from '../../../../cli/state/verify-state.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

const folder = temporaryFolder('verify-state');
const { execPath } = process;
afterEach(() => void (process.execPath = execPath));
afterAll(() => folder.remove());

function nodeThat(script: string): string {
  const path = folder.at('node');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}
const checked = (node: string): Promise<number> => {
  process.execPath = node;
  return readStateWhole('/state', 'Restore it.');
};

it.each([
  ['does not start', () => folder.at('nothing'), /\(spawn \S+ ENOENT\)/],
  ['is killed', () => nodeThat('kill -KILL $$'), /\(SIGKILL\)/],
  ['gets no thread', () => nodeThat('kill -ABRT $$'), /\(SIGABRT\)/],
  ['ends with an error', () => nodeThat('echo "Error: EACCES: denied" >&2; exit 1'), /\(Error: EACCES: denied\)/],
])('a process that %s says nothing about the state', async (_how, node, why) => {
  const failed: unknown = await checked(node()).catch((error: unknown) => error);
  expect(failed).toMatchObject({
    code: 'STATE_UNUSABLE',
    message: expect.stringMatching(/^The state in \/state could not be checked, .* Try again\.$/) as string,
  });
  expect(String(failed)).toMatch(why);
  expect(String(failed)).not.toContain('Restore');
});

it.each(['SEGV', 'BUS'])('a process that ends with SIG%s has met a damaged page', async (signal) => {
  await expect(checked(nodeThat(`kill -${signal} $$`))).rejects.toMatchObject({
    code: 'STATE_CORRUPT',
    message: `The state in /state is damaged: reading it ends the process with SIG${signal}. Restore it.`,
  });
});
