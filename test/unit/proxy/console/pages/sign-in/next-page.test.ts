// The page after a sign-in comes from the address, so anybody can write it: it never leads out of the console.

import { describe, expect, it } from 'vitest';
import { Pages } from '../../../../../../proxy/console/frame/pages.ts';
import { nextPage } from '../../../../../../proxy/console/pages/sign-in/next-page.ts';
import { fc } from '../../../../../util/seeded-check.ts';

const pages = new Pages();
pages.page({ path: '/account', operation: 'getMe', show: () => ({ to: '/account' }) });
pages.page({ path: '/packages/:vendor/:package', operation: 'getMe', show: () => ({ to: '/account' }) });
pages.openPage({ path: '/sso/:provider/callback', operation: 'login', show: () => ({ to: '/account' }) });

describe('the page after a sign-in', () => {
  it.each(['/account', '/account?tab=1', '/packages/acme/tool?version=1.0'])('may be %s', (text) => {
    expect(nextPage(pages, text)).toBe(text);
  });

  it.each([
    'https://evil.example/account',
    '//evil.example/account',
    '///evil.example/account',
    'https:evil.example',
    String.raw`\\evil.example/account`,
    String.raw`/\evil.example/account`,
    '/%5Cevil.example/account',
    'javascript:alert(1)',
    'data:text/html,x',
    '@evil.example/account',
    'http://console@evil.example/account',
    '/sso/acme/callback?code=stolen',
    '/nowhere',
    '',
    ' ',
    '\t//evil.example',
    '/account/../../evil',
    'http://console:81/account',
  ])('is the overview instead of %j', (text) => {
    expect(nextPage(pages, text)).toBe('/overview');
  });

  it('is one of the console for each text', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      'account',
      '.',
      '..',
      '%2f',
      '%5c',
      '@',
      ':',
      '?',
      '#',
      '\n',
      'evil.example',
    );
    const text = fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 8 }).map((all) => all.join(''));
    fc.assert(
      fc.property(text, (next) => {
        const page = nextPage(pages, next);
        const at = new URL(`http://console/ui${page}`);
        // browsers read a backslash as a slash in a path, and as itself in a query
        const [path = ''] = page.split('?', 1);
        const isOdd = /[\r\n]/.test(page) || path.includes('\\');
        expect([at.origin, page.startsWith('//'), isOdd]).toEqual(['http://console', false, false]);
        expect(page === '/overview' || pages.find(path) !== undefined).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
