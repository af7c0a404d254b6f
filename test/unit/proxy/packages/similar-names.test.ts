// Tests the names that are similar to a mistyped one.

import { describe, expect, it } from 'vitest';
import { similarNames, similarParts } from '../../../../proxy/packages/similar-names.ts';

const names = ['acme/core', 'acme/cores', 'acme/hello', 'acme/jello', 'acme/x', 'a/b', 'a/c', 'other/hello'].map(
  (name) => ({ name }),
);
const near = async (typed: string, most = 5): Promise<readonly string[]> =>
  (await similarNames(names, typed, most)).map(({ name }) => name);

describe('a mistyped name', () => {
  it.each([
    ['a letter is missing', 'acme/helo', ['acme/hello', 'acme/jello']],
    ['a letter is too many', 'acme/hhello', ['acme/hello', 'acme/jello']],
    ['two letters changed places', 'acme/croe', ['acme/core', 'acme/cores']],
    ['the vendor is wrong', 'amce/hello', ['acme/hello', 'acme/jello']],
    ['it is in capitals', ' ACME/Jelo', ['acme/jello', 'acme/hello']],
  ])('gets suggestions where %s, nearest first', async (_, typed, expected) => {
    expect(await near(typed)).toEqual(expected);
  });

  it('gets no suggestion where it is too different, too short, or no name', async () => {
    for (const typed of ['acme/something', 'acme/hexxx', 'a/d', 'acme', 'acme/', 'acme/helo x', ''])
      expect(await near(typed)).toEqual([]);
  });

  it('gets a limited number of suggestions', async () => {
    expect(await near('acme/helo', 1)).toEqual(['acme/hello']);
  });
});

it('a word with swapped letters finds the longer word that it begins', async () => {
  const found = await similarParts(['Tokens', 'Taken', 'Teams'], 'tokne', 8, (text) => text);
  expect(found).toEqual(['Tokens']);
  expect(await similarParts(['Tokens'], 'tak', 8, (text) => text)).toEqual([]);
});
