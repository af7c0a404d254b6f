// Tests the dates of a mirrored document for a limited token: fetches of versions that are hidden from the token do not
// change them.

import { expect, it } from 'vitest';
import { allHeaders } from '../../../../proxy/core/http/answer.ts';
import { createMirroredTree } from '../../../../proxy/mirror/mirrored-tree.ts';
import { compileView } from '../../../../proxy/core/views/compile-view.ts';
import { packageName, runMirror } from '../../../util/running-mirror.ts';
import { startUpstream } from '../../../util/upstream.ts';

it('a checksum changes the date for tokens that see its version, and for no other token', async () => {
  await using upstream = await startUpstream();
  upstream.put(
    'some/lib',
    ['2.0.0', '1.0.0'].map((version) => ({ version, shasum: '' })),
  );
  await using running = runMirror([upstream.url]);
  const view = compileView({ packages: null, constraints: { 'some/*': '^1' }, stability: null, not_after: null });
  const name = packageName('some/lib');
  const tree = createMirroredTree(running.mirror, 1_000_000);
  const preferences = {
    acceptEncoding: undefined,
    ifNoneMatch: undefined,
    ifModifiedSince: undefined,
    view: undefined,
  };
  const dateOf = async (): Promise<number> => {
    const answer = await tree.provider(
      name,
      'stable',
      preferences,
      { view, filter: view?.filterOf(name) ?? 'none' },
      { nowMs: running.clock.nowMs, epoch: 1 },
    );
    const headers = answer === undefined ? [] : allHeaders(answer);
    return Date.parse(headers[headers.indexOf('Last-Modified') + 1] ?? '');
  };
  const before = await dateOf();
  await running.archive('some/lib', '2.0.0');
  expect(await dateOf()).toBe(before);
  await running.archive('some/lib', '1.0.0');
  expect(await dateOf()).not.toBe(before);
});
