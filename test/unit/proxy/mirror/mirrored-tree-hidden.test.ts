// Tests that a limited token detects no hidden package while the upstream is away (I14).

import { expect, it } from 'vitest';
import { createMirroredTree } from '../../../../proxy/mirror/mirrored-tree.ts';
import { compileView } from '../../../../proxy/core/views/compile-view.ts';
import { packageName, runMirror } from '../../../util/running-mirror.ts';
import { startUpstream } from '../../../util/upstream.ts';

it('a token that sees no version gets nothing, and one that sees some is asked to come again', async () => {
  const upstream = await startUpstream();
  upstream.put('some/lib', [{ version: '1.0.0' }]);
  await using running = runMirror([upstream.url]);
  const name = packageName('some/lib');
  const tree = createMirroredTree(running.mirror, 1_000_000);
  expect((await running.provider('some/lib'))?.status).toBe(200);
  await upstream[Symbol.asyncDispose]();
  const statuses = async (constraint: string): Promise<readonly unknown[]> => {
    const view = compileView({
      packages: null,
      constraints: { 'some/*': constraint },
      stability: null,
      not_after: null,
    });
    const viewer = { view, filter: view?.filterOf(name) ?? ('none' as const) };
    const preferences = { acceptEncoding: undefined, ifNoneMatch: undefined, ifModifiedSince: undefined, view };
    const moment = { nowMs: running.clock.nowMs, epoch: 1 };
    const archive = { name, labels: ['2.0.0'], reference: undefined };
    return [
      (await tree.provider(name, 'stable', preferences, viewer, moment))?.status,
      (await tree.provider(name, 'dev', preferences, viewer, moment))?.status,
      (await tree.archive(archive, preferences, viewer, moment))?.answer.status,
    ];
  };
  expect(await statuses('^1')).toEqual([200, 500, 500]);
  expect(await statuses('^2')).toEqual([undefined, undefined, undefined]);
});
