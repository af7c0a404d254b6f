// Tests READMEs from the compiled server: the worker that renders them is found, and does not delay the end of the
// server.

import { expect, it } from 'vitest';
import { startManagedRegistry } from '../util/managed-registry.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';

it('a README is rendered, and the server ends at once afterwards', async () => {
  await using registry = await startManagedRegistry({});
  writeTree(registry.folder.at('hello'), {
    ...libraryTree('acme/hello', { version: '1.0.0' }),
    'README.md': '# Hello <script>\n\n![pixel](https://evil.example/p.png)\n',
  });
  expect((await registry.cli('build', 'hello')).exitCode).toBe(0);
  const { status, json } = await registry.api('GET', '/api/packages/acme/hello/readme');
  expect([status, json['html']]).toEqual([
    200,
    '<h1 id="text-hello">Hello &lt;script&gt;</h1>\n<p><a href="https://evil.example/p.png" ' +
      'rel="nofollow noopener noreferrer" class="image">pixel</a></p>\n',
  ]);
  await registry.stop('SIGTERM');
});
