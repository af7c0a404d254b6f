// Tests what a person sees when the server itself cannot answer.

import { describe, expect, it } from 'vitest';
import { runConsole } from '../../util/running-console.ts';

describe('a form that is sent after the session ended', () => {
  it('stays in the browser: its page says how to sign in and send it again', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const session = new Map(browser.cookies);
    browser.cookies.clear();
    const sent = { email: 'joan@example.org', name: 'Joan', role: 'viewer' };
    const { status, text, html } = await browser.post('/people/invite?a=b', sent);
    expect([status, text.includes('Composer')]).toEqual([401, false]);
    expect(text).toContain('Your session has ended Nothing was done.');
    expect(html).toMatch(/<a href="[^"]*sign-in\?next=%2Fpeople%2Finvite%3Fa%3Db" target="_blank" rel="noopener">/);
    for (const [name, value] of session) browser.cookies.set(name, value);
    expect((await browser.post('/people/invite?a=b', sent)).text).toContain('joan@example.org');
  });
});

describe('a damaged state', () => {
  it('becomes a page with the status, the reason and the id of the request, and a line in the log', async () => {
    await using console = await runConsole();
    const { state, proxy } = console.registry;
    const { browser, userId } = await console.signIn('viewer');
    const key = `user/${userId}`;
    const value = (await state.get(key))?.value ?? {};
    const put = (row: typeof value) => state.commit({ conditions: [], puts: [{ key, value: row }], deletes: [] });
    await put({});
    const { status, headers, text, html } = await browser.get('/account');
    await put(value);
    expect([status, headers['content-type'], headers['retry-after']]).toEqual([500, 'text/html; charset=utf-8', '5']);
    expect(text).toContain('The state is unavailable. Try again shortly.');
    const id = /The id of this request is <code>([^<]+)</.exec(html)?.[1];
    expect(proxy.lines).toContainEqual(expect.objectContaining({ msg: 'a request failed', request_id: id }));
    expect(text).not.toContain('A user record');
    expect((await browser.get('/account')).status).toBe(200);
  });
});

describe('a form that is sent to a page without one', () => {
  it('is refused, with the methods of the page', async () => {
    await using console = await runConsole();
    const { browser } = await console.signIn('admin');
    const { status, headers, text } = await browser.post('/packages', {});
    expect([status, headers['allow'], text]).toEqual([
      400,
      'GET, HEAD',
      expect.stringContaining('This page takes no form.'),
    ]);
  });
});
