// The mistakes in libretto.json, each with the message that it must get: what is wrong, where, and what to do.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, it } from 'vitest';

import { expectMessage } from '../util/mistake.ts';
import { temporaryTree, type TemporaryTree } from '../util/package-tree.ts';

let tree: TemporaryTree;
beforeAll(() => {
  tree = temporaryTree({});
});
afterAll(() => tree.remove());

const configurations: readonly (readonly [title: string, text: string, ...says: readonly string[]])[] = [
  [
    'a comma too many',
    '{"sources": ["./packages"],}',
    'is not valid JSON (line 1, column 27): the comma before "}" is one too many.',
  ],
  ['a comment', '{\n  // sources\n}', 'is not valid JSON (line 2, column 3)', 'JSON has no comments.'],
  ['a mistyped key', '{"source": ["./packages"]}', 'source in ', 'is not a setting; did you mean sources?'],
  ['a number in quotes', '{"jobs": "4"}', 'jobs in ', 'is "4"; allowed: a whole number from 1 to 256.'],
  [
    'a composer.json',
    '{"name": "acme/x", "require": {}}',
    'require in ',
    'is a key of a composer.json',
    'Use "sources"',
  ],
  [
    'a satis.json',
    '{"repositories": [], "require-all": true}',
    'are keys of a composer.json or satis.json',
    '`libretto import satis FILE`',
  ],
  [
    'the type of Composer',
    '{"sources": [{"type": "vcs", "url": "https://a.org/b"}]}',
    'sources[0].type',
    'is "vcs", the name in Composer; the name here is "git".',
  ],
  [
    'git:// in a source',
    '{"sources": ["git://a.org/b"]}',
    'sources[0]',
    'without encryption',
    'https://a.org/b or ssh://git@a.org/b.',
  ],
  [
    'a host name for the proxy',
    '{"trustedProxies": ["proxy.local"]}',
    'trustedProxies in ',
    'addresses or CIDR ranges such as 10.0.0.0/8',
  ],
  [
    'an address without its scheme',
    '{"publicUrl": "packages.example.org"}',
    'publicUrl in ',
    'such as https://packages.example.org.',
  ],
  ['a list', '["./packages"]', 'must contain a JSON object, such as {"sources":'],
  ['a byte-order mark', '\ufeff{}', 'begins with a byte-order mark', 'Save it as UTF-8 without one.'],
];

describe('an operator whose libretto.json has', () => {
  it.each(configurations)('%s reads the place and the repair', async (title, text, ...says) => {
    const name = `${title.replaceAll(/\W+/g, '-')}.json`;
    writeFileSync(tree.path(name), text);
    await expectMessage(
      { title, args: ['build', '-c', name], says: ['The configuration cannot be used: ', ...says] },
      tree.root,
    );
  });
});
