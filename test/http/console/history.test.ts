// Tests the pages about publications, the way back to one, and the comparison of two versions.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, temporaryTree, type TemporaryTree } from '../../util/package-tree.ts';
import { runCli } from '../../util/run-cli.ts';
import { runConsole, type RunningConsole } from '../../util/running-console.ts';
import { whoLibrary } from '../../util/who-library.ts';
import { describeInSeries } from '../../util/series.ts';

const hostile = '<img src=x onerror=alert(1)>';
let running: RunningConsole;
let tree: TemporaryTree;

/** The packages of three publications: the second changes one version, the third withdraws a package. */
beforeAll(async () => {
  running = await runConsole();
  tree = temporaryTree({
    ...below('packages/one', {
      ...whoLibrary('acme/hello', '1.0.0', { require: { php: '>=8.1', 'psr/log': '^2' } }),
      'README.md': 'Hello',
    }),
    ...below('packages/gone', whoLibrary('acme/gone', '3.0.0')),
  });
  await build();
  tree.write(
    below('packages/two', {
      ...whoLibrary('acme/hello', '1.1.0', { description: hostile, require: { php: '>=8.1', 'psr/log': '^3' } }),
      'README.md': 'Hello',
      [`src/${hostile.replaceAll('/', '')}.txt`]: 'new',
      'src/a\u202egnp.exe': 'new',
    }),
  );
  await build();
  tree.delete('packages/gone');
  await build('--allow-withdraw');
});
afterAll(async () => {
  tree.remove();
  await running[Symbol.asyncDispose]();
});

const build = (...more: readonly string[]): Promise<unknown> =>
  runCli(['build', 'packages', '--data', running.registry.data, ...more], { cwd: tree.root });

describe('the history', () => {
  it('shows every publication with its packages, the newest first', async () => {
    const { browser } = await running.signIn('viewer');
    const { status, text, html } = await browser.get('/history');
    expect(status).toBe(200);
    expect(text.match(/acme\/\w+ [\d.]+[^]*?publication \d/g)).toEqual([
      expect.stringMatching(/^acme\/gone 3\.0\.0 withdrawn 1 withdrawn .*publication 3$/),
      expect.stringMatching(/^acme\/hello 1\.1\.0 released 1 added .*publication 2$/),
      expect.stringMatching(/^acme\/gone 3\.0\.0, acme\/hello 1\.0\.0 released 2 added .*publication 1$/),
    ]);
    expect(html).toContain('href="history/2"');
    expect(text).toMatch(/just now ?, by [^\s,]+, with build/);
  });

  it('shows what a publication changed, with links to the versions', async () => {
    const { browser } = await running.signIn('viewer');
    const added = await browser.get('/history/2');
    expect(added.text).toContain('acme/hello 1.1.0 added');
    expect(added.html).toContain('href="../packages/acme/hello/version?version=1.1.0"');
    const withdrawn = await browser.get('/history/3');
    expect(withdrawn.text).toContain('acme/gone 3.0.0 withdrawn');
    expect(withdrawn.html).toContain('href="../packages/acme/gone/why?version=3.0.0"');
    expect(withdrawn.text).toContain('served now');
  });

  it('begins where the address says', async () => {
    const { browser } = await running.signIn('viewer');
    const { text } = await browser.get('/history?before=2');
    expect(text).toContain('publication 1');
    expect(text).not.toContain('publication 2');
    expect((await browser.get('/history?before=1')).text).toContain('Nothing older is recorded');
  });

  it.each(['/history/99', '/history/x', '/history/2/roll-back/x'])('has no page %s', async (path) => {
    const { browser } = await running.signIn('admin');
    expect((await browser.get(path)).status).toBe(404);
  });
});

describe('a comparison', () => {
  it('shows the newest version and the one before it, as text', async () => {
    const { browser } = await running.signIn('viewer');
    const { status, text, html } = await browser.get('/packages/acme/hello/compare');
    expect(status).toBe(200);
    expect(text).toContain('From 1.0.0');
    expect(text).toContain('psr/log require changed ^2 ^3');
    expect(html).toContain('^<b>2</b>');
    expect(html).toContain('^<b>3</b>');
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(text).toMatch(/src\/<img src=x onerror=alert\(1\)>\.txt added none 3 B/);
    expect(html).not.toContain('<img');
  });

  it('lists the files that differ, and all of them on request', async () => {
    const { browser } = await running.signIn('viewer');
    const differing = await browser.get('/packages/acme/hello/compare?from=1.0.0&to=1.1.0');
    expect(differing.text).not.toContain('README.md');
    const [, all = ''] = /href="\.\.\/\.\.\/\.\.(\/packages[^"]*files=all)"/.exec(differing.html) ?? [];
    expect((await browser.get(all.replaceAll('&amp;', '&'))).text).toContain('README.md same 5 B 5 B');
  });

  it('shows a character that reverses the letters of a name', async () => {
    const { browser } = await running.signIn('viewer');
    const { text } = await browser.get('/packages/acme/hello/compare?from=1.0.0&to=1.1.0');
    expect(text).toContain('src/a<U+202E>gnp.exe');
  });

  it('of a version with itself finds nothing', async () => {
    const { browser } = await running.signIn('viewer');
    const { text } = await browser.get('/packages/acme/hello/compare?from=1.1.0&to=1.1.0');
    expect(text).toContain('Both versions have the same lines.');
    expect(text).toContain('No file differs');
  });

  it('refuses versions and packages that are not published', async () => {
    const { browser } = await running.signIn('viewer');
    const version = await browser.get('/packages/acme/hello/compare?from=1.0.0&to=9.9.9');
    expect([version.status, version.text]).toEqual([404, expect.stringContaining('acme/hello 9.9.9 is not published')]);
    expect((await browser.get('/packages/acme/gone/compare')).status).toBe(404);
  });
});

describe('a withdrawal', () => {
  it('says what is missing in an address without a version', async () => {
    const { browser } = await running.signIn('admin');
    for (const page of ['withdraw', 'restore'])
      for (const reply of [
        await browser.get(`/packages/acme/hello/${page}`),
        await browser.post(`/packages/acme/hello/${page}`, {}),
      ])
        expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('names no version of acme/hello')]);
  });
});

describe('a rollback', () => {
  it('is for admins', async () => {
    const { browser } = await running.signIn('maintainer');
    expect((await browser.get('/history/1')).text).not.toContain('Roll back to here');
    expect((await browser.get('/history/1/roll-back')).status).toBe(403);
    expect((await browser.post('/history/1/roll-back', { serial: '1' })).status).toBe(403);
  });

  it('shows what it changes, and wants the number before it withdraws versions', async () => {
    const { browser, userId } = await running.signIn('admin');
    expect((await browser.get('/history/1')).html).toContain('href="../history/1/roll-back"');
    const preview = await browser.get('/history/1/roll-back');
    expect(preview.text).toContain('The rollback withdraws 1 version.');
    expect(preview.text).toMatch(/Withdrawn acme\/hello 1\.1\.0 Offered again acme\/gone 3\.0\.0/);
    const refused = await browser.post('/history/1/roll-back', { serial: '3' });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Write 1: the rollback withdraws')]);
    expect((await browser.get('/history')).text).not.toContain('publication 4');

    for (const page of ['', '/versions']) {
      const { status, headers } = await browser.get(`/packages/acme/gone${page}`);
      expect([status, String(headers['location'])]).toEqual([303, expect.stringMatching(/packages\/acme\/gone\/why$/)]);
    }
    const gone = (await browser.get('/packages/acme/gone/why')).text;
    expect(gone).toContain('All versions of this package are withdrawn.');
    expect(gone).toContain('3.0.0 : withdrawn because its source did not have it any more ( publication 3 )');
    const done = await browser.post('/history/1/roll-back', { serial: '1' });
    expect([done.status, done.headers['location']]).toEqual([303, '../../history/4?notice=rolled-back']);
    const { text } = await browser.get('/history/4?notice=rolled-back');
    expect(text).toContain('The registry is rolled back.');
    expect(text).toContain('by you, with rollback, as a rollback to publication 1');
    const reader = await running.registry.createToken('read');
    const root = await running.registry.proxy.get('/packages.json', { authorization: `Bearer ${reader}` });
    expect(JSON.stringify(root.json()['available-packages'])).toContain('acme/gone');
    const audit = await browser.get('/audit');
    expect(audit.text).toContain('rolled back to publication 1 made publication 4');
    expect(audit.html).toContain('href="history/1"');
    const events = (await running.registry.state.range('audit/event/')).map(({ value }) => value);
    expect(events).toContainEqual(
      expect.objectContaining({ action: 'publication.rollback', actor: `user:${userId}`, subject: '4' }),
    );
  });
});

describeInSeries('the cause of a withdrawal', () => {
  it('is named on the pages and on the command line', async () => {
    const { browser } = await running.signIn('admin');
    const page = (await browser.get('/packages/acme/hello/versions?kind=withdrawn')).text;
    expect(page).toMatch(/withdrawn just now by the rollback to publication 1 \( publication 4 \)/);
    const why = (await browser.get('/packages/acme/hello/why?version=1.1.0')).text;
    expect(why).toContain('1.1.0 : withdrawn by the rollback to publication 1 ( publication 4 )');
    expect(why).not.toContain(tree.root);
    expect(why).toMatch(/just now packages , [0-9a-f]{12}/);
    const { stdout } = await runCli(['why', 'acme/hello', '1.1.0', '--data', running.registry.data], {
      cwd: tree.root,
    });
    expect(stdout).toMatch(/withdrawn +by the rollback to publication 1 \(publication 4\)/);
    const all = await runCli(['why', 'acme/hello', '--data', running.registry.data], { cwd: tree.root });
    expect(all.stdout).toContain('1.1.0 was withdrawn by the rollback to publication 1 (publication 4).');
    const document = await runCli(['why', 'acme/hello', '1.1.0', '--json', '--data', running.registry.data], {
      cwd: tree.root,
    });
    expect(JSON.parse(document.stdout)).toMatchObject({
      versions: [{ withdrawal: { reason: 'rollback', serial: 4, rollback_to: 1, source: expect.any(String) } }],
    });
  });
});

describeInSeries('the end of all rollbacks', () => {
  it('is offered in the history and beside a version that a rollback withdrew, and wants the password', async () => {
    const { browser } = await running.signIn('admin');
    const old = await browser.get('/packages/acme/hello/version?version=1.1.0');
    expect([old.status, String(old.headers['location'])]).toEqual([303, expect.stringMatching(/why\?version=1.1.0$/)]);
    const why = await browser.get('/packages/acme/hello/why?version=1.1.0');
    expect(why.text).toContain('Open the history');
    const { text, html } = await browser.get('/history');
    expect(text).toContain('A rollback is in effect: builds leave 2 versions as rolled back');
    expect(html).toContain('href="history/lift-rollbacks"');
    const keeper = await running.signIn('maintainer');
    expect((await keeper.browser.get('/history')).text).not.toContain('End all rollbacks');
    expect((await keeper.browser.post('/history/lift-rollbacks', {})).status).toBe(403);
    for (const cookie of browser.cookies.keys()) if (cookie.includes('confirm')) browser.cookies.delete(cookie);
    const refused = await browser.post('/history/lift-rollbacks', {});
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Enter your password')]);
    const { browser: again } = await running.signIn('admin');
    const done = await again.post('/history/lift-rollbacks', {});
    expect([done.status, done.headers['location']]).toEqual([303, '../history/5?notice=lifted']);
    expect((await again.get('/history')).text).not.toContain('A rollback is in effect');
    expect((await again.get('/history/lift-rollbacks')).status).toBe(404);
    expect((await again.get('/audit')).text).toContain('ended all rollbacks, with publication 5');
  });
});

describe('a version of an earlier publication that a person withdrew', () => {
  it('is named before the rollback, with the way back', async () => {
    await runCli(['package', 'withdraw', 'acme/hello', '1.0.0', '--data', running.registry.data], { cwd: tree.root });
    const { browser } = await running.signIn('admin');
    const { text, html } = await browser.get('/history/1/roll-back');
    expect(text).toContain('except those that people withdrew or purged');
    expect(text).toMatch(/Not offered again .* acme\/hello 1\.0\.0 : withdrawn by a person Restore/);
    expect(html).toContain('href="../../packages/acme/hello/restore?version=1.0.0"');
  });
});
