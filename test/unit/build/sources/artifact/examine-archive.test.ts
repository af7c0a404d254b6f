// Tests the remarks on names in an artifact.

import { expect, it } from 'vitest';
import { remarksOnNames } from '../../../../../build/sources/artifact/examine-archive.ts';

it.each([
  ['.env', /^hello\/\.env, which by its name may be a credential/],
  ['.git/hooks/post-checkout', /^hello\/\.git\/hooks\/post-checkout, where git runs hooks/],
  ['sub/.GIT/config', /where git runs hooks/],
  ['CON', /^hello\/CON, which is no name of a file on Windows/],
  ['src/aux.php', /no name of a file on Windows/],
  ['x:y', /^hello\/x:y, which is no name of a file on Windows/],
  ['a\u202egpj.php', /^hello\/a\\u202egpj\.php, which is shown in another order/],
])('%j is remarked on', (path, remark) => {
  expect(remarksOnNames(['hello/composer.json', `hello/${path}`], 'hello/')).toEqual([expect.stringMatching(remark)]);
});

it('ordinary names are not, and the first of several stands for all', () => {
  const plain = ['.gitignore', '.github/x', 'Console.php', 'console/a', 'a\u00fc.php', 'contact.txt', 'com.php'];
  expect(remarksOnNames(plain, '')).toEqual([]);
  expect(remarksOnNames(['a?b', 'nul', 'c|d'], '')).toEqual([
    'a?b and 2 more, which is no name of a file on Windows. Rename it.',
  ]);
});
