// Tests the private SSH keys on disk: they are removed with their process, or after it was killed, and never while a
// process here or in another container uses them.

import { existsSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openKeyFolder } from '../../../../cli/builds/registered-sources.ts';
import { describeOwner } from '../../../../proxy/sync/process-owner.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../util/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(() => void (folder = temporaryFolder('keys')));
afterEach(() => folder.remove());

const key = { private_key: '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n' };
const nameOf = (owner: string): string => owner.replaceAll('/', '_').replaceAll(' ', '.');

async function left(owner: string, minutesAgo: number): Promise<string> {
  const path = folder.at('build', 'ssh', nameOf(owner));
  mkdirSync(path, { recursive: true });
  const time = Date.now() / 1000 - 60 * minutesAgo;
  utimesSync(path, time, time);
  return path;
}

it('keys of an ended process of this host are removed at once, keys of other hosts after their time limit', async () => {
  const self = await describeOwner();
  const killed = await left(self.replace(/\d+$/, '1'), 0);
  const container = await left(`${self.split('/')[0]}/4026530000 1 77`, 10);
  const gone = await left('0f728e6a-c686-4c4c-ad19-000000000000/4026530000 1 77', 20);
  const former = await left(String(process.pid), 20);
  const keys = await openKeyFolder(folder.path, Date.now);
  expect([killed, container, gone, former].map((path) => existsSync(path))).toEqual([false, true, false, false]);
  const file = await keys.write('repo_1', key);
  // another process starts in the meantime
  await (await openKeyFolder(folder.path, Date.now)).write('repo_2', undefined);
  expect(existsSync(String(file))).toBe(true);
  await keys.remove();
  expect(readdirSync(folder.at('build', 'ssh'))).toEqual([container.split('/').at(-1)]);
});
