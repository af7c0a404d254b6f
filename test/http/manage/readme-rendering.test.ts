// Tests the rendering of READMEs outside the server's own thread: an endless rendering blocks no other, and equal texts
// are rendered once.

import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../../util/package-tree.ts';
import { runCli } from '../../util/run-cli.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import { temporaryFolder } from '../../util/temporary-folder.ts';

const hostile = '# <b>Endless</b> & "spin"\n';
const texts = { hostile, kind: 'same text', twin: 'same text', next: 'another text' };

describe('a README', () => {
  const folder = temporaryFolder('rendering');
  let sources: TemporaryTree;
  let registry: RunningManagement;
  let reader: string;
  beforeAll(async () => {
    writeFileSync(folder.at('rendered'), '');
    // replaces the real renderer, which renders every known text in bounded time
    writeFileSync(
      folder.at('worker.mjs'),
      `import { appendFileSync } from 'node:fs';
export const ready = () => undefined;
export function renderMarkdown(text) {
  appendFileSync(${JSON.stringify(folder.at('rendered'))}, text.trim() + '\\n');
  while (text.includes('spin'));
  return '<p>' + text + '</p>';
}`,
    );
    registry = await runManagement({ render: { worker: folder.at('worker.mjs'), longestMs: 3000 } });
    reader = await registry.createToken('read');
    sources = temporaryTree(
      Object.assign(
        {},
        ...Object.entries(texts).map(([name, text]) =>
          below(`src/${name}`, { ...libraryTree(`acme/${name}`, { version: '1.0.0' }), 'README.md': text }),
        ),
      ),
    );
    expect(
      await runCli(['build', ...Object.keys(texts).map((name) => `src/${name}`), '--data', registry.data], {
        cwd: sources.root,
      }),
    ).toMatchObject({ exitCode: 0 });
  });
  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
    sources.remove();
    await folder.remove();
  });
  const readmeOf = async (name: string): Promise<Record<string, unknown>> =>
    (await registry.call('GET', `/api/packages/acme/${name}/readme`, { as: reader })).json();

  it('a README whose rendering never ends is shown as plain text, and other READMEs are rendered', async () => {
    await readmeOf('next'); // the thread has started
    let ended = false;
    const endless = readmeOf('hostile').finally(() => (ended = true));
    await expect.poll(() => readFileSync(folder.at('rendered'), 'utf8')).toContain('spin');
    expect([(await registry.proxy.get('/health')).status, ended]).toEqual([200, false]);
    const twin = readmeOf('twin');
    expect(await endless).toMatchObject({
      markdown: hostile,
      html: '<pre># &lt;b&gt;Endless&lt;/b&gt; &amp; &quot;spin&quot;\n</pre>\n',
      html_truncated: false,
    });
    expect((await twin)['html']).toBe('<p>same text</p>');
  });

  it('is rendered once for all callers and packages with the same text, also where the rendering never ended', async () => {
    const replies = await Promise.all(['kind', 'twin', 'kind', 'twin', 'hostile'].map(readmeOf));
    expect(replies.map(({ html }) => String(html).slice(0, 3))).toEqual(['<p>', '<p>', '<p>', '<p>', '<pr']);
    const rendered = readFileSync(folder.at('rendered'), 'utf8').trim().split('\n');
    expect(rendered.filter((text) => text === 'same text')).toHaveLength(1);
    expect(rendered.filter((text) => text.includes('spin'))).toHaveLength(1);
  });

  it('a cached rendering is dropped once a version is purged that may have had the README', async () => {
    const times = (): number =>
      readFileSync(folder.at('rendered'), 'utf8')
        .split('\n')
        .filter((text) => text === 'same text').length;
    expect(
      await runCli(['package', 'purge', 'acme/next', '1.0.0', '--reason', 'secret', '--yes', '--data', registry.data], {
        cwd: sources.root,
      }),
    ).toMatchObject({ exitCode: 0 });
    for (const name of ['kind', 'twin', 'kind'])
      expect(await readmeOf(name)).toMatchObject({ html: '<p>same text</p>' });
    expect(times()).toBe(2);
  });
});
