// The package whose archives the tests of a mirror fetch, and the values that they compare.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { allFiles } from './published-tree.ts';
import type { MirrorReply, RunningMirror } from './running-mirror.ts';
import { zipBytes } from './hand-made-tree.ts';
import { referenceFor, sha1Of } from './upstream.ts';

export const name = 'some/lib';
/** An archive of 1 MB. */
export const large = zipBytes('large', 1_000_000);
/** The SHA-1 of a whole reply, or how it failed. Comparing large buffers byte by byte takes the test runner minutes. */
export const bytesOf = (reply: MirrorReply | undefined): string =>
  reply?.status === 200 && reply.broken === undefined ? sha1Of(reply.body) : `${reply?.status} ${reply?.broken ?? ''}`;
/** The path of a version's archive at the upstream. */
export const pathOf = (version: string): string =>
  `/files/${name}/${version}/${referenceFor(`${name} ${version}`)}.zip`;

/** Every stored ZIP; each must have the content of its name. */
export function storedArchives({ folder }: RunningMirror): readonly string[] {
  const files = allFiles(folder.at('mirror')).filter((path) => path.endsWith('.zip'));
  for (const path of files)
    expect(
      createHash('sha1')
        .update(readFileSync(folder.at('mirror', path)))
        .digest('hex'),
    ).toBe(/([0-9a-f]{40})\.zip$/.exec(path)?.[1]);
  expect(readdirSync(folder.at('mirror', '.staging'))).toEqual([]);
  return files;
}
