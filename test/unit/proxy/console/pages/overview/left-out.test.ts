// Tests the sources of versions that were left out: repositories with their id, and paths as people know them.

import { expect, it } from 'vitest';
import { formatQuarantined } from '../../../../../../build/contract/quarantined.ts';
import { readLeftOut } from '../../../../../../proxy/console/pages/overview/left-out.ts';
import type { PublishedFiles } from '../../../../../../proxy/core/tree/published-files.ts';

const url = 'https://git.example.org/acme/tool.git';
const version = (source: string) => ({
  source,
  code: 'X',
  message: 'bad',
  where: 'branch dev',
  name: null,
  version: null,
});
const announcement = {
  format: 1,
  serial: 1,
  published_at: '2026-11-27T08:45:11.217Z',
  root: { last_modified: 1795769111, sha256: '6c'.repeat(32) },
  sources: [
    { id: 'git-1', location: `git:${url}`, from: 'registered' },
    { id: 'dir-1', location: 'git:../remotes/tool', from: 'argument' },
  ],
  withdrawn: [],
};
const texts: Readonly<Record<string, string>> = {
  'index/_quarantined.json': formatQuarantined(['git-1', 'dir-1', 'gone'].map(version)),
  'index/_publication.json': JSON.stringify(announcement),
};
const published = {
  read: (path: string) => Promise.resolve(Buffer.from(texts[path] ?? '')),
} as unknown as PublishedFiles;

it('names no source while the announcement is damaged', async () => {
  const damaged = {
    read: (path: string) => Promise.resolve(Buffer.from(path.includes('_pub') ? '{' : (texts[path] ?? ''))),
  };
  const found = await readLeftOut(damaged as unknown as PublishedFiles, [], undefined);
  expect(found.map(({ source }) => source)).toEqual([undefined, undefined, undefined]);
});

it('names the repository, the folder, or nothing for a source that is forgotten', async () => {
  const found = await readLeftOut(published, [{ id: 'repo_1', url }], '/srv/registry/var');
  expect(found.map(({ source, repository }) => [source, repository]).toSorted()).toEqual(
    [
      [url, 'repo_1'],
      ['/srv/registry/remotes/tool', undefined],
      [undefined, undefined],
    ].toSorted(),
  );
});
