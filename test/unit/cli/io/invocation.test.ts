// Tests the command that messages name, for a program on the PATH and for a script.

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';

import { invocationOf, registryOptions, typeable } from '../../../../cli/io/invocation.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

const folder = temporaryFolder('invocation');
afterAll(() => folder.remove());
mkdirSync(folder.at('bin'));
mkdirSync(folder.at('other'));
writeFileSync(folder.at('bin/libretto'), '#!/bin/sh\n', { mode: 0o755 });
writeFileSync(folder.at('other/libretto'), 'not a program', { mode: 0o644 });

it.each([
  ['a program of the PATH', '/usr/bin/libretto', '/usr/bin', 'libretto'],
  [
    'a script beside a program of the PATH',
    '/opt/libretto/lib/cli/main.js',
    `/usr/bin:${folder.at('bin')}`,
    'libretto',
  ],
  [
    'a script in another folder',
    '/opt/libretto/lib/cli/main.js',
    folder.at('other'),
    'node /opt/libretto/lib/cli/main.js',
  ],
  ['a script below this folder', '/srv/clone/lib/cli/main.js', '', 'node lib/cli/main.js'],
  ['a script whose path has a blank', '/opt/my tools/lib/cli/main.js', '', "node '/opt/my tools/lib/cli/main.js'"],
])('%s', (_, script, path, invocation) =>
  expect(invocationOf({ script, workingDirectory: '/srv/clone', path })).toBe(invocation),
);

it('replaces the commands in backquotes, and nothing else', () => {
  expect(
    typeable('Run `libretto build`, then `libretto token create`; libretto is a `libretto`.', () => 'node main.js'),
  ).toBe('Run `node main.js build`, then `node main.js token create`; libretto is a `libretto`.');
});

it('repeats the data folder and the configuration in commands that would change another registry otherwise', () => {
  const options = registryOptions({ data: '/srv/my data', config: 'own.json', json: true });
  const shown = (text: string): string => typeable(text, () => 'libretto', options);
  expect(shown('Run `libretto build --forget a`.')).toBe(
    "Run `libretto build --forget a --config own.json --data '/srv/my data'`.",
  );
  expect(shown("Run `libretto build --relocate '/srv/it'\\''s=NEW_PATH'`.")).toContain(
    "NEW_PATH' --config own.json --data ",
  );
  expect(shown('`libretto token create --description TEXT`')).toBe(
    "`libretto token create --description TEXT --config own.json --data '/srv/my data'`",
  );
  for (const text of [
    'state init --force',
    'restore BACKUP --state-only',
    'settings set limits.read 5',
    'rollback --lift',
  ])
    expect(shown(`\`libretto ${text}\``)).toBe(`\`libretto ${text}${options}\``);
  for (const text of [
    '`libretto build`',
    '`libretto rollback`',
    '`libretto repository sync ID --url ADDRESS`',
    '`libretto token list`',
    '`libretto build SOURCE --data FOLDER`',
    '`libretto build --help`',
    "`libretto build --forget '/srv/a`b'`",
  ])
    expect(shown(text)).toBe(text);
  expect(registryOptions({ data: '/srv/data', url: 'https://packages.example.org' })).toBe('');
});
