// Tests which texts name an issuer of ID tokens.

import { expect, it } from 'vitest';
import { issuerPattern, parseIssuer } from '../../../../../proxy/publishers/model/issuer.ts';

it.each([
  ['github', { kind: 'github', url: 'https://token.actions.githubusercontent.com' }],
  ['gitlab', { kind: 'gitlab', url: 'https://gitlab.com' }],
  ['gitlab=https://git.example.org', { kind: 'gitlab', url: 'https://git.example.org' }],
  [
    'github=https://ghes.example.org/_services/token',
    { kind: 'github', url: 'https://ghes.example.org/_services/token' },
  ],
  ['oidc=http://127.0.0.1:9000', { kind: 'oidc', url: 'http://127.0.0.1:9000' }],
])('%s names an issuer', (text, issuer) => {
  expect(parseIssuer(text)).toEqual(issuer);
  expect(text).toMatch(new RegExp(issuerPattern));
});

it.each([
  'bitbucket',
  'GitHub',
  'gitlab=http://git.example.org',
  'gitlab=git.example.org',
  'gitlab=https://user@git.example.org',
  'gitlab=https://git.example.org?x=1',
  'travis=https://travis.example.org',
  'gitlab=',
  '',
])('%j names none', (text) => expect(parseIssuer(text)).toBeUndefined());
