// Tests the list of accepted issuers as flags, variables and libretto.json write it.

import { expect, it } from 'vitest';
import { publisherSettings } from '../../../../cli/config/trust-settings.ts';

const { parse, standard } = publisherSettings.oidcIssuers;
const read = (raw: unknown): unknown => parse(raw, { directory: '/' }, () => undefined);

it('the standard is GitHub and GitLab', () => {
  expect(standard({ directory: '/' })).toEqual([
    { kind: 'github', url: 'https://token.actions.githubusercontent.com' },
    { kind: 'gitlab', url: 'https://gitlab.com' },
  ]);
});

it('a list, or a text with commas, names issuers, and `none` names none', () => {
  const own = { kind: 'gitlab', url: 'https://git.example.org' };
  expect(read('github, gitlab=https://git.example.org')).toEqual([standard({ directory: '/' })[0], own]);
  expect(read(['gitlab=https://git.example.org'])).toEqual([own]);
  expect([read('none'), read([])]).toEqual([[], []]);
});

it.each([
  ['github,github'],
  ['gitlab=https://git.example.org,oidc=https://git.example.org'],
  ['github,,gitlab'],
  ['somebody'],
  [['github', 5]],
  [5],
])('%j is refused', (raw) => expect(read(raw)).toBeUndefined());
