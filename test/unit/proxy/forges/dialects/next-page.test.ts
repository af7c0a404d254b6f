// Tests where the next page of a list is found: only the query of the named address is used.

import { expect, it } from 'vitest';
import { nextQuery } from '../../../../../proxy/forges/dialects/next-page.ts';

const link = (text: string): string | undefined => nextQuery(text, null, 'link');

it('takes the query of the link with rel="next"', () => {
  expect(link('<https://a.example/r?page=1>; rel="prev", <https://b.example/x?page=3&per_page=100>; rel="next"')).toBe(
    'page=3&per_page=100',
  );
  expect(link('<https://a.example/r?page=2>; title="a, b"; rel=next')).toBe('page=2');
  expect(link('<https://a.example/r?id_after=9,10>; rel="first next"')).toBe('id_after=9,10');
});

it('finds no page without such a link', () => {
  for (const text of ['', '<https://a.example/r?page=2>; rel="last"', '</r?page=2>; rel="next"', 'page=2; rel="next"'])
    expect(link(text)).toBeUndefined();
  expect(nextQuery(undefined, null, 'link')).toBeUndefined();
});

it('takes the query of the field `next`', () => {
  expect(nextQuery(undefined, { next: 'https://elsewhere.example/x?page=abc%3D' }, 'body')).toBe('page=abc%3D');
  expect(nextQuery(undefined, { next: 7 }, 'body')).toBeUndefined();
  expect(nextQuery('<https://a.example/r?page=2>; rel="next"', {}, 'body')).toBeUndefined();
});
