// Tests the pages about the files of a version: what people see of an archive, and that none of its contents becomes
// more than text or a picture.

import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { zipOf, type EntrySpec } from '../../util/hostile-zip.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../../util/package-tree.ts';
import { openElements } from '../../util/page-text.ts';
import { runCli } from '../../util/run-cli.ts';
import { runConsole, type PageReply, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';
import { itInSeries } from '../../util/series.ts';

const script = '<script>alert(1)</script>';
const pngOf = (side: number): Buffer =>
  Buffer.from(
    `89504e470d0a1a0a0000000d49484452${side.toString(16).padStart(8, '0').repeat(2)}0802000000000000000000`,
    'hex',
  );
const png = pngOf(90);
/** As editors write it. */
const svg =
  '\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n<!-- made by hand -->\n<svg xmlns="http://www.w3.org/2000/svg" xmlns:ink="http://ink.example/ns" ' +
  'width="90mm" viewBox="0 0 90 20"><ink:view ink:zoom="4"/><title>A &amp; B</title><linearGradient id="a"><stop offset="1" stop-color="#4c1"/>' +
  '</linearGradient><g style="fill:url(#a);stroke:none" transform="scale(2)"><path d="M0 0h90v20H0z" id="path9999999"/></g></svg>';
/** A change of one word. */
const code = (vat: string): string =>
  `<?php\n\n/* one\n two */\nfunction total() {\n    return ${vat} * $this->sum;\n}\n`;

let running: RunningConsole;
let tree: TemporaryTree;
let browser: TestBrowser;
let publications = 0;

beforeAll(async () => {
  running = await runConsole();
  tree = temporaryTree({
    ...below('packages/one', {
      ...libraryTree('acme/cart', { version: '1.0.0' }),
      'README.md': 'Hello',
      'src/Total.php': code('0.19'),
      'src/Old.php': '<?php',
    }),
    ...below('packages/two', {
      ...libraryTree('acme/cart', { version: '1.1.0' }),
      'README.md':
        '<img src="art/logo.png" alt="Logo" width="60"> [![Badge](./art/logo.svg)](https://example.org) ![gone](art/gone.png)\n\n' +
        `![far](https://example.org/x.png) [total](src/Total.php) ![out](../../x.png) ![bomb](art/bomb.svg)\n\n\`\`\`php\n$a = "${script}";\n\`\`\`\n`,
      'src/Total.php': code('0.20'),
      'art/logo.png': png.toString('latin1'),
      'art/logo.svg': svg,

      'art/vast.png': pngOf(16_000),
      [`src/${'<img src=x onerror=alert(1)>'}.php`]: `<?php // ${script}\n$b = '</span>${script}';`,
      'src/a\u202egnp.exe': 'a\u202eb',
      'src/latin.txt': 'x',
      'src/long.php': `<?php\n${'$sum = round($price * 1.19, 2); // of the cart\n'.repeat(1500)}`,
      'art/page.html': `GIF89a\n\0\n\0/*${script}*/`,
      'src/minified.js': `var a="${'x'.repeat(1_000_000)}"`,
    }),
    ...below('packages/hostile', libraryTree('acme/hostile', { version: '1.0.0' })),
  });
  writeFileSync(tree.path('packages/two/art/logo.png'), png);
  writeFileSync(tree.path('packages/two/art/fake.png'), Buffer.from([1, 0, 2]));
  writeFileSync(tree.path('packages/two/src/latin.txt'), Buffer.from([0x67, 0xfc, 0x6e]));
  await publishAgain();
  ({ browser } = await running.signIn('viewer'));
});
afterAll(async () => {
  tree.remove();
  await running[Symbol.asyncDispose]();
});

/** Each publication has another version of a package, so that no answer comes from a cache. */
async function publishAgain(): Promise<void> {
  publications += 1;
  tree.write(below('packages/other', libraryTree('acme/other', { version: `${publications}.0.0` })));
  const built = await runCli(['build', 'packages', '--data', running.registry.data, '--allow-withdraw'], {
    cwd: tree.root,
  });
  if (!built.stdout.includes('acme/other')) throw new Error(built.stdout + built.stderr);
}

/** `path`: in the archive. */
const look = (path: string, query = '', page = 'files'): Promise<PageReply> =>
  browser.get(`/packages/acme/cart/${page}?path=${encodeURIComponent(path)}${query}`);

describe('the files of a version', () => {
  it('are listed by folder, and each file has numbered lines and highlighted words', async () => {
    const folder = await look('');
    expect(folder.text).toMatch(/art 5 /);
    expect(folder.html).toContain('files?version=1.1.0&amp;path=src"');
    expect(folder.html).toMatch(
      /<select id="version" name="version"><option value="1\.1\.0" selected.*value="1\.0\.0"/,
    );
    expect((await browser.get('/packages/acme/cart')).html).toContain('cart/files"');
    expect((await browser.get('/packages/acme/cart/version?version=1.0.0')).html).toContain('files?version=1.0.0"');
    const { html, text } = await look('src/Total.php', '&version=1.0.0');
    expect(html).toContain('<span id="L6"><a href="#L6" tabindex="-1">6</a>    <span class="hl-keyword">return</span>');
    expect(html).toContain('<span class="hl-number">0.19</span>');
    // a comment of two lines
    expect(html).toContain('</a><span class="hl-comment">/* one</span>\n</span>');
    expect(text).toContain('7 lines');
  });

  it('are text, whatever they and their names contain', async () => {
    const folder = await look('src/');
    expect(folder.html).not.toContain('<img');
    expect(folder.text).toContain('<img src=x onerror=alert(1)>.php');
    expect(folder.text).toContain('a<U+202E>gnp.exe');
    const { html, text } = await look('src/<img src=x onerror=alert(1)>.php');
    expect(openElements(html).map(({ name }) => name)).not.toContain('img');
    expect(html).not.toContain('<script>alert');
    expect(text).toContain(`<?php // ${script}`);
    expect((await look('src/a\u202egnp.exe')).text).toContain('a<U+202e>b');
    expect((await look('src/latin.txt')).text).toContain('gün');
  });

  it('of long lines are cut, and those of many lines have pages', async () => {
    const { html, text } = await look('src/minified.js');
    expect(html.length).toBeLessThan(20_000);
    expect(text).toContain('Lines are cut after 1,000 characters');
    const second = await look('src/long.php', '&page=2');
    expect(second.html).toContain('<span id="L801">');
    expect(second.text).toContain('801–1');
    expect(gzipSync(second.html).length).toBeLessThan(30 * 1024);
  });

  it('are shown as raw files without any rights', async () => {
    const text = await look('src/Total.php', '', 'raw');
    expect(text.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': expect.stringContaining('sandbox; default-src'),
      'x-content-type-options': 'nosniff',
    });
    // an SVG could keep the browser busy for minutes
    expect((await look('art/logo.svg', '', 'raw')).headers['content-type']).toBe('text/plain; charset=utf-8');
    // neither text nor a picture, whatever its name
    const other = await look('art/fake.png', '', 'raw');
    expect(other.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="fake.png"',
    });
    const vast = await look('art/vast.png', '', 'raw');
    expect(vast.headers['content-type']).toBe('application/octet-stream');
    const polyglot = await look('art/page.html', '', 'raw');
    expect(polyglot.headers).toMatchObject({ 'content-type': 'image/gif', 'x-content-type-options': 'nosniff' });
  });

  it('appear in the README: pictures, links and code', async () => {
    const { html } = await browser.get('/packages/acme/cart');
    const address = '../../packages/acme/cart/raw?version=1.1.0&amp;path=art%2Flogo';
    expect(html).toContain(`<img src="${address}.png" alt="Logo" loading="lazy" width="60">`);
    expect(html).toContain('<a href="../../packages/acme/cart/files?version=1.1.0&amp;path=src%2FTotal.php">total</a>');
    expect(html.match(/<img/g)).toHaveLength(1);
    expect(html).toContain('<a href="https://example.org/x.png"');
    expect(html).toContain('<span class="hl-variable">$a</span>');
    expect(html).not.toContain('<script>alert');
  });

  it('are compared line by line and word by word', async () => {
    const { html } = await browser.get('/packages/acme/cart/compare?from=1.0.0&to=1.1.0&file=src%2FTotal.php');
    const word = (vat: string): string =>
      `<span class="hl-keyword">return</span> <span class="hl-number">0.<b>${vat}</b></span>`;
    expect(html).toContain(`<code class="removed"><i>6  </i><span class="unseen">removed </span>    ${word('19')}`);
    expect(html).toContain(`<code class="added"><i>  6</i><span class="unseen">added </span>    ${word('20')}`);
    const list = await browser.get('/packages/acme/cart/compare?from=1.0.0&to=1.1.0');
    expect(list.html).toContain('file=src%2FTotal.php"');
    expect(list.text).toContain('src/Old.php removed');
    expect(list.text).toContain('What it can newly do By its composer.json: nothing.');
    expect(list.text).toContain('it contains a program that is no PHP source (exe)');
    expect(list.html).toContain('src%2Fa%E2%80%AEgnp.exe"');
    expect(list.html).not.toContain('a\u202egnp');
    const binary = await browser.get('/packages/acme/cart/compare?file=art%2Ffake.png');
    expect(binary.text).toContain('The file is not text');
    expect((await browser.get('/packages/acme/cart/compare?file=none')).status).toBe(404);
    const long = await browser.get('/packages/acme/cart/compare?file=src%2Flong.php');
    expect(long.text).toContain('The first 500 lines are shown');
    expect(gzipSync(long.html).length).toBeLessThan(30 * 1024);
  });

  it('are compared as text, whatever they and their names contain', async () => {
    const { html, text } = await browser.get(
      `/packages/acme/cart/compare?file=${encodeURIComponent('src/<img src=x onerror=alert(1)>.php')}`,
    );
    expect(openElements(html).map(({ name }) => name)).not.toContain('img');
    expect(html).not.toContain('<script>alert');
    expect(text).toContain(`1 added <?php // ${script}`);
    const hidden = await browser.get(`/packages/acme/cart/compare?file=${encodeURIComponent('src/a\u202egnp.exe')}`);
    expect(hidden.text).toContain('a<U+202e>b');
  });

  it.each(['src/none.php', '../../../../etc/passwd', 'src/../composer.json', '/etc/passwd', '\0'])(
    'do not include %j',
    async (path) => {
      for (const page of ['files', 'raw']) expect((await look(path, '', page)).status).toBe(404);
    },
  );
});

describe('a hostile archive', () => {
  /** Puts another ZIP in the place of the published one, as no build would. */
  const replace = async (bytes: Buffer): Promise<void> => {
    const folder = join(running.registry.data, 'public/dist/acme/hostile');
    for (const file of readdirSync(folder)) writeFileSync(join(folder, file), bytes);
    await publishAgain();
  };
  const visit = (path: string, page = 'files'): Promise<PageReply> =>
    browser.get(`/packages/acme/hostile/${page}?path=${encodeURIComponent(path)}`);

  it('is a sentence if it is damaged', async () => {
    await replace(randomBytes(500));
    expect((await visit('')).text).toContain('is encrypted or damaged');
    expect((await browser.get('/packages/acme/hostile')).status).toBe(200);
  });

  it('with strange names is listed, and nothing of it leads elsewhere', async () => {
    const bomb = Buffer.alloc(50_000_000);
    const entries: EntrySpec[] = [
      { name: '../../up.txt', data: 'up' },
      { name: 'back\\slash.txt', data: 'back' },
      { name: Buffer.from([0x66, 0xff, 0x2e, 0x74]), data: 'odd' },
      { name: 'secret.txt', data: 'x', both: { flags: 1 } },
      { name: 'link', data: '/etc/passwd', mode: 0o120777 },
      { name: 'bomb.txt', data: bomb },
      { name: 'lies.txt', data: bomb, central: { size: 10 } },
    ];
    await replace(zipOf(entries));
    const { text } = await visit('');
    for (const name of ['..', 'back\\slash.txt', 'link', 'bomb.txt']) expect(text).toContain(name);
    expect((await visit('../../up.txt')).text).toContain('1 up');
    expect((await visit('link')).text).toContain('1 /etc/passwd');
    expect((await visit('bomb.txt')).text).toContain('more than 4 MiB');
    expect((await visit('lies.txt')).text).toContain('is encrypted or damaged');
    expect((await visit('secret.txt')).text).toContain('is encrypted or damaged');
    expect((await visit('bomb.txt', 'raw')).status).toBe(404);
    // the search for secrets at the end reads no encrypted file
    await replace(zipOf([{ name: 'composer.json', data: '{}' }]));
  });

  itInSeries('with 50 000 files is listed page by page and searched, and each of its files is shown', async () => {
    const entries = Array.from({ length: 50_000 }, (_, at) => ({
      name: `src/Folder${at % 2000}/Deeper/GeneratedClass${at}.php`,
      data: `<?php // ${at}`,
      stored: true,
    }));
    await replace(zipOf([{ name: 'composer.json', data: '{}' }, ...entries]));
    expect((await visit('')).text).toMatch(/src 50.000 /);
    const folders = await visit('src');
    expect(folders.text).toContain('Folder1000 25 ');
    expect(folders.text).not.toContain('Folder999 ');
    const found = await browser.get('/packages/acme/hostile/files?path=src&q=CLASS4999');
    expect(found.text).toContain('Folder999/Deeper/GeneratedClass4999.php 13 B');
    expect(found.html).toContain('path=src%2FFolder1990%2FDeeper%2FGeneratedClass49990.php"');
    expect(found.text).not.toContain('GeneratedClass4998.php');
    expect((await browser.get('/packages/acme/hostile/files?path=src&q=none')).text).toContain('No file here');
    expect((await visit('src/Folder999/Deeper/GeneratedClass4999.php')).text).toContain('1 <?php // 4999');
    expect((await browser.get('/packages/acme/hostile/files?q=class&page=2')).html).toContain('q=class&amp;page=3"');
  });
});
