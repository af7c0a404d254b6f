// Tests that an answer from memory is a value, and no promise: a promise at each step would slow every request (D467).

import { afterAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../../../../proxy/core/http/answer.ts';
import { parseRoute, type Route } from '../../../../../proxy/core/protocol/route.ts';
import { Tree } from '../../../../../proxy/core/protocol/tree.ts';
import { createLocalFiles } from '../../../../../proxy/core/tree/local-files.ts';
import { asBuilt } from '../../../../../proxy/core/tree/root-document.ts';
import { compileView } from '../../../../../proxy/core/views/compile-view.ts';
import { HandMadeTree, zipBytes } from '../../../../util/hand-made-tree.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';

const folder = temporaryFolder('tree');
afterAll(folder.remove);
const made = new HandMadeTree(folder.path);
made.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('hello') }]);
made.publish();
const onNewer = (error: Error): void => expect.unreachable(error.message);
const files = createLocalFiles({ dataDirectory: folder.path, cacheBytes: 16 * 1024 ** 2, onNewer });
const tree = new Tree({ files, rootChanges: () => asBuilt, derivedBytes: 4 * 1024 ** 2 });
const noLimit = { packages: null, constraints: null, stability: null, not_after: null };
const views = {
  'without a view': undefined,
  'of a view with names': compileView({ ...noLimit, packages: ['acme/*'] }),
  'of a view with constraints': compileView({ ...noLimit, constraints: { 'acme/hello': '^1.0' } }),
};

describe.each(Object.entries(views))('an answer %s', (_, view) => {
  it.each([
    ['/packages.json', 200],
    ['/p2/acme/hello.json', 200],
    ['/p2/acme/hello~dev.json', 200],
    ['/dist/acme/hello/1.0.0.zip', 200],
    ['/p2/acme/unknown.json', 404],
  ])('is a value from the second request on: %s', async (path, status) => {
    const answer = (): Answer | Promise<Answer> =>
      tree.answer(
        parseRoute(path) as Extract<Route, { kind: 'root' | 'provider' | 'dist' }>,
        {
          acceptEncoding: 'gzip',
          ifNoneMatch: undefined,
          ifModifiedSince: undefined,
          head: false,
          view,
          token: undefined,
          userAgent: 'Composer/2.5.5',
          exactForm: true,
        },
        1_800_000_000_000,
      );
    expect((await answer()).status).toBe(status);
    expect(answer()).toMatchObject({ status });
  });
});
