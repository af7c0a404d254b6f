// Tests the pages about uploads over a socket, without JavaScript: a ZIP is published by the real builder, refused with
// its reason, withdrawn, and removed by a cleanup.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demandCompiled } from '../../setup/compiled.ts';
import { zipOf } from '../../util/hostile-zip.ts';
import { runConsole, type PageReply, type RunningConsole, type TestBrowser } from '../../util/running-console.ts';

const dayMs = 86_400_000;
let nowMs = Date.now();
let console: RunningConsole;
let keeper: TestBrowser;
let password = '';

beforeAll(demandCompiled);
beforeAll(async () => {
  console = await runConsole({ now: () => nowMs });
  ({ browser: keeper, password } = await console.signIn('maintainer'));
});
afterAll(() => console[Symbol.asyncDispose]());

const zip = (version?: string): Buffer =>
  zipOf([{ name: 'composer.json', data: JSON.stringify({ name: 'acme/upload', version, description: 'for tests' }) }]);

/** Sends the file as the form of the page does. */
const upload = (
  file: Buffer,
  browser = keeper,
  headers: Readonly<Record<string, string>> = {},
  version = '',
): Promise<PageReply> => {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n';
  const field = `\r\n--b\r\nContent-Disposition: form-data; name="version"\r\n\r\n${version}`;
  return browser.send(
    'POST',
    '/ui/uploads/file',
    { 'content-type': 'multipart/form-data; boundary=b', 'sec-fetch-site': 'same-origin', ...headers },
    Buffer.concat([Buffer.from(head), file, Buffer.from(`${field}\r\n--b--\r\n`)]),
  );
};
/** The address of the question before the withdrawal of this version, below /ui. */
const withdrawalOf = ({ html }: PageReply): string => `/${/href="(uploads\/art_\w+\/withdraw)"/.exec(html)?.[1]}`;

describe('the page of uploads', () => {
  it('says without an upload what to do next, and offers the form to those who may upload', async () => {
    await using empty = await runConsole();
    const viewer = await (await empty.signIn('viewer')).browser.get('/uploads');
    expect(viewer.text).toContain('No upload yet');
    expect(viewer.html).not.toContain('type="file"');
    const maintainer = await (await empty.signIn('maintainer')).browser.get('/uploads');
    expect(maintainer.html).toContain('type="file"');
  });

  it('publishes a ZIP, and says so; the same ZIP again changes nothing', async () => {
    const first = await upload(zip('1.0.0'));
    expect([first.status, first.text]).toEqual([200, expect.stringContaining('acme/upload 1.0.0 is published.')]);
    const again = await upload(zip('1.0.0'));
    expect([again.status, again.text]).toEqual([200, expect.stringContaining('The same content was uploaded before')]);
    const { text } = await keeper.get('/uploads');
    expect(text).toContain('acme/upload 1.0.0');
  });

  it('refuses what is no package, with the reason above the form', async () => {
    const { status, text, html } = await upload(Buffer.from('no ZIP'));
    expect(status).toBe(400);
    expect(text).toMatch(/a\.zip : .*(?:archive|ZIP)/);
    expect(html).toContain('type="file"');
  });

  it('leads from the address of the upload back to its form', async () => {
    const { status, headers } = await keeper.get('/uploads/file');
    expect([status, headers['location']]).toEqual([303, '../uploads']);
  });

  it('takes no file from another site, from a viewer, or from nobody', async () => {
    const cross = await upload(zip('6.6.6'), keeper, { 'sec-fetch-site': 'cross-site' });
    const viewer = await upload(zip('6.6.6'), (await console.signIn('viewer')).browser);
    const nobody = await upload(zip('6.6.6'), console.browser());
    expect([cross.status, viewer.status, nobody.status]).toEqual([403, 403, 401]);
    expect((await keeper.get('/uploads')).text).not.toContain('6.6.6');
  });

  it('withdraws an upload after a question, and removes its ZIP by a cleanup that says what it removes', async () => {
    const page = withdrawalOf(await keeper.get('/uploads'));
    expect((await keeper.get(page)).text).toContain('Withdraw acme/upload 1.0.0?');
    const done = await keeper.post(page, { current_password: password });
    expect([done.status, done.headers['location']]).toEqual([303, '../../uploads?notice=withdrawn']);
    expect((await keeper.get('/uploads?notice=withdrawn')).text).toContain('The version is withdrawn.');
    const why = (await keeper.get('/packages/acme/upload/why')).text;
    expect(why).toContain('1.0.0 : withdrawn because its upload was removed ( publication 2 )');
    expect((await keeper.get('/uploads/cleanup')).text).toContain('nothing to remove');
    nowMs += 31 * dayMs;
    ({ browser: keeper, password } = await console.signIn('maintainer'));
    expect((await keeper.get('/uploads/cleanup')).text).toContain('1 ZIP');
    expect((await keeper.post('/uploads/cleanup', { current_password: password })).status).toBe(303);
    expect((await keeper.get('/uploads/cleanup')).text).toContain('nothing to remove');
  });

  it('takes the version of a ZIP whose composer.json has none from the form, and keeps a refused one there', async () => {
    const without = await upload(zip());
    expect([without.status, without.text]).toEqual([400, expect.stringContaining('in the field of the page')]);
    const wrong = await upload(zip(), keeper, {}, 'not a version');
    expect([wrong.status, wrong.html]).toEqual([400, expect.stringContaining('name="version" value="not a version"')]);
    const named = await upload(zip(), keeper, {}, ' 1.7.0 ');
    expect([named.status, named.text]).toEqual([200, expect.stringContaining('acme/upload 1.7.0 is published.')]);
    const ended = await upload(zip('1.8.0'), console.browser());
    expect(ended.text).toContain(
      'Your session has ended Nothing was published. Sign in, and choose the file once more.',
    );
  });
});
