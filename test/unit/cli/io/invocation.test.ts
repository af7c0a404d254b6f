// Tests the command that messages name, for a program on the PATH and for a script.

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';

import { invocationOf, typeable } from '../../../../cli/io/invocation.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

const folder = temporaryFolder('invocation');
afterAll(() => folder.remove());
mkdirSync(folder.at('bin'));
mkdirSync(folder.at('other'));
writeFileSync(folder.at('bin/libretto'), '#!/bin/sh\n', { mode: 0o755 });
writeFileSync(folder.at('other/libretto'), 'not a program', { mode: 0o644 });

it.each([
  ['a program of the PATH', folder.at('bin/libretto'), `/usr/bin:${folder.at('bin')}`, 'libretto'],
  ['a program outside the PATH', '/opt/libretto/bin/libretto', '/usr/bin', '/opt/libretto/bin/libretto'],
  ['a program below this folder', '/srv/clone/node_modules/.bin/libretto', '', 'node_modules/.bin/libretto'],
  ['a program in this folder', '/srv/clone/lb', '', './lb'],
  ['a program whose path has a blank', '/opt/my tools/libretto', '', "'/opt/my tools/libretto'"],
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

it('adds options behind a command, but not inside quotes with a backquote', () => {
  const shown = (text: string): string =>
    typeable(
      text,
      () => 'libretto',
      () => ' --data /srv/d',
    );
  expect(shown('Run `libretto build`.')).toBe('Run `libretto build --data /srv/d`.');
  expect(shown("`libretto build --relocate '/srv/it'\\''s=NEW_PATH'`")).toContain("NEW_PATH' --data /srv/d`");
  expect(shown("`libretto build --forget '/srv/a`b'`")).toBe("`libretto build --forget '/srv/a`b'`");
});
