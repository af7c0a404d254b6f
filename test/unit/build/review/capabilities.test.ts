// What a record says that a release can do, and what releases gain.

import { describe, expect, it } from 'vitest';
import type { NormalizedVersion } from '../../../../build/contract/version.ts';
import { capabilitiesOf, capabilityKey } from '../../../../build/review/capabilities.ts';
import { differenceOf, gainedByRelease } from '../../../../build/review/gained-capabilities.ts';

const keys = (record: Parameters<typeof capabilitiesOf>[0]): readonly string[] =>
  capabilitiesOf({ name: 'acme/hello', dist: {}, ...record }).map(capabilityKey);

describe('the capabilities of a record', () => {
  it.each([
    ['a plugin', { type: 'composer-plugin', extra: { class: 'A\\P' } }, ['plugin composer-plugin A\\P']],
    ['a plugin in capitals', { type: 'Composer-Plugin' }, ['plugin composer-plugin']],
    ['the interface of plugins', { require: { 'composer-plugin-api': '^2' } }, ['plugin composer-plugin-api']],
    ['an autoloaded file', { autoload: { files: ['./src/a.php', 'src/a.php'] } }, ['autoload-file src/a.php']],
    [
      'an object of files',
      { autoload: { files: { x: 'a.php', y: { z: ['b.php'] } } } },
      ['autoload-file a.php', 'autoload-file b.php'],
    ],
    ['nested lists', { autoload: { files: [['a.php']] } }, ['autoload-file a.php']],
    [
      'commands and paths as objects',
      { bin: { a: 'run' }, 'include-path': { a: 'lib' } },
      ['include-path lib', 'bin run'],
    ],
    [
      'namespaces and a class map',
      { autoload: { 'psr-4': { 'Monolog\\': 'x' }, 'psr-0': { '': 'y' }, classmap: ['lib/'] } },
      ['autoload-namespace any namespace', 'autoload-namespace any namespace, in lib/', 'autoload-namespace monolog\\'],
    ],
    ['a command as text', { bin: 'bin/run' }, ['bin bin/run']],
    ['an include path', { 'include-path': ['lib'] }, ['include-path lib']],
    ['a stand-in of another vendor', { replace: { 'Psr/Log': '*', 'acme/old': '*' } }, ['replace psr/log']],
    ['a provided package', { provide: { 'psr/log-implementation': '1' } }, ['replace psr/log-implementation']],
    ['a dependency', { require: { php: '>=8', 'ext-json': '*', 'psr/log': '^3' } }, ['dependency psr/log']],
    [
      'authors and licences',
      { authors: [{ name: 'Ada', email: 'a@b.c' }], license: 'MIT' },
      ['author a@b.c', 'license MIT'],
    ],
    ['nonsense', { autoload: 7, bin: [3], require: 'x', extra: null, authors: {} }, []],
  ])('%s', (_, record, expected) => {
    expect(keys(record as never)).toEqual(expected);
  });

  it('what is too long or too much changes with each of its texts', () => {
    const files = (count: number, ...more: readonly string[]): ReturnType<typeof keys> =>
      keys({ autoload: { files: [...Array.from({ length: count }, (_, at) => `a/${at}.php`), ...more] } });
    const long = 'd/'.repeat(160);
    expect(files(0, `${long}a.php`)).not.toEqual(files(0, `${long}b.php`));
    expect(files(3000)).toHaveLength(501);
    expect(files(3000, 'z.php')[500]).not.toBe(files(3000, 'y.php')[500]);
  });

  it.each([
    'git@github.com:acme/hello.git',
    'https://user@GitHub.com/acme/hello',
    'ssh://git@github.com/acme/hello.git/',
  ])('the source %s is one place', (url) => {
    expect(keys({ source: { url } })).toEqual(['source github.com/acme/hello']);
  });
});

describe('what releases gain', () => {
  const release = (version: string, arrivedMs: number, ...files: readonly string[]) => ({
    version,
    normalized: `${version}.0` as NormalizedVersion,
    arrivedMs,
    capabilities: files.map((detail) => ({ kind: 'autoload-file', detail }) as const),
  });
  const gained = (...releases: readonly ReturnType<typeof release>[]): readonly string[] =>
    [...gainedByRelease(releases, 0)].flatMap(([, { gained: all }]) =>
      all.map(({ capability, broughtBy }) => `${capability.detail} by ${broughtBy.version}`),
    );

  it('the first release is the beginning, and a later release keeps what an earlier one brought', () => {
    expect(gained(release('1.0.2', 2, 'a', 'b'), release('1.0.0', 0, 'a'), release('1.0.1', 1, 'a', 'b'))).toEqual([
      'b by 1.0.1',
      'b by 1.0.1',
    ]);
  });

  it('what was lost in between is new again', () => {
    expect(gained(release('1.0.0', 0, 'a'), release('1.0.1', 0), release('1.0.2', 0, 'a'))).toEqual(['a by 1.0.2']);
  });

  it('a release that arrives later below another one neither brings nor excuses what that one has', () => {
    const [first, second] = [release('1.0.0', 0), release('2.0.0', 1, 'a')];
    expect(gained(first, second, release('1.0.1', 2, 'a'))).toEqual(['a by 2.0.0', 'a by 1.0.1']);
    expect(gained(first, second, release('1.0.1', 2))).toEqual(['a by 2.0.0']);
  });

  it('a release below all others is compared with the next one, and with nothing it has gained all', () => {
    expect(gained(release('2.0.0', 0, 'a'), release('1.0.0', 1, 'a', 'b'))).toEqual(['b by 1.0.0']);
    expect(gained(release('1.0.0', 1, 'a'), release('1.0.1', 1, 'a'))).toEqual(['a by 1.0.0', 'a by 1.0.0']);
  });

  it('two releases differ by what only one of them has', () => {
    const [before, after] = [release('1.0.0', 0, 'a', 'b'), release('1.0.1', 0, 'b', 'c')];
    expect(differenceOf(before.capabilities, after.capabilities)).toEqual({
      gained: [{ kind: 'autoload-file', detail: 'c' }],
      lost: [{ kind: 'autoload-file', detail: 'a' }],
    });
  });
});
