// Tests the findings of `libretto doctor` as people read them: names instead of ids, sentences instead of codes.

import { expect, it } from 'vitest';
import { inWords } from '../../../../../../proxy/console/pages/overview/finding-needs.ts';

it.each([
  ['the feed upstream-repo_H1TO2 has 2 rows', 'the feed packages.example.org has 2 rows'],
  ['the feed upstream-repo_GONE has 2 rows', 'the feed upstream-repo_GONE has 2 rows'],
  ['getaddrinfo ENOTFOUND git.example.org', 'the name of the host is not known: git.example.org'],
  ['connect ECONNREFUSED 127.0.0.1:1', 'nothing answers at this address: 127.0.0.1:1'],
  ['EXAMPLE_OF stays', 'EXAMPLE_OF stays'],
])('%s', (text, expected) => {
  expect(inWords(text, new Map([['repo_H1TO2', 'packages.example.org']]))).toBe(expected);
});
