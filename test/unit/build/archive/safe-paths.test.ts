// Tests the paths and symbolic links that an archive may not contain.

import { describe, expect, it } from 'vitest';
import { checkFilePath, checkFileTree, checkSymlinks } from '../../../../build/archive/safe-paths.ts';
import { QuarantineError } from '../../../../build/contract/quarantine.ts';

function refusal(check: () => void): QuarantineError {
  try {
    check();
  } catch (error) {
    if (error instanceof QuarantineError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('checkFilePath', () => {
  it.each([
    'a',
    'src/A.php',
    '.gitignore',
    'a b/ü/日本.txt',
    '...',
    'a..b',
    '..a',
    'con',
    '1:2',
    'dir/C:x',
    'x'.repeat(255),
    `${'ü'.repeat(127)}x`,
    '🎼',
  ])('checkFilePath accepts %j', (path) => {
    expect(() => checkFilePath(path)).not.toThrow();
  });

  it.each([
    ['', 'empty'],
    ['/etc/passwd', 'absolute'],
    ['C:/x', 'drive letter'],
    ['c:x', 'drive letter'],
    ['a\\b', 'backslash'],
    ['..\\x', 'backslash'],
    ['a\nb', 'control character'],
    ['a\0', 'control character'],
    ['a\u0085', 'control character'],
    ['../x', '".." segment'],
    ['a/../b', '".." segment'],
    ['a/..', '".." segment'],
    ['./a', '"." segment'],
    ['a//b', 'empty segment'],
    ['a/', 'empty segment'],
    ['x'.repeat(256), '255 bytes'],
    ['ü'.repeat(128), '255 bytes'],
    [`${'abcdefgh/'.repeat(456)}end`, '4096 bytes'],
    ['a\ud800', 'not valid Unicode'],
  ])('row 54: checkFilePath refuses %j', (path, why) => {
    const error = refusal(() => checkFilePath(path));
    expect(error.code).toBe('UNSAFE_PATH');
    expect(error.message).toContain(why);
    expect(error.message).toContain(JSON.stringify(path));
  });
});

describe('checkFileTree', () => {
  it('checkFileTree accepts files next to folders with similar names', () => {
    expect(() => checkFileTree(['a', 'a.b', 'a-b/c', 'b/a', 'b/c/a'])).not.toThrow();
  });

  it('checkFileTree refuses the same path twice', () => {
    expect(refusal(() => checkFileTree(['b', 'a', 'b'])).message).toContain('"b" occurs twice');
  });

  it('checkFileTree refuses a path below a file or symlink, because it would be written through the link', () => {
    expect(refusal(() => checkFileTree(['link/deep/x', 'link'])).message).toContain('"link" is both');
  });
});

const check = (links: Record<string, string>, files?: readonly string[]): void => {
  checkSymlinks(
    new Map(Object.entries(links)),
    files === undefined ? undefined : new Set([...files, ...Object.keys(links)]),
  );
};

describe('row 52: checkSymlinks', () => {
  it.each<[string, Record<string, string>]>([
    ['a file beside it, or to nothing', { l: 'a' }],
    ['a file elsewhere', { 'x/y/l': '../../src/A.php' }],
    ['a folder, with a slash', { l: 'src/' }],
    ['its own folder', { 'a/l': '.' }],
    ['the package itself', { 'a/l': '..' }],
    ['another link', { l: 'm', m: 'n', n: 'a' }],
    ['something through a link to a folder', { l: 'm/A.php', m: 'src' }],
    ['something above where a link leads', { l: 'm/../b', m: 'x/y' }],
    ['something beside a missing folder', { l: 'missing/../a' }],
    ['odd but harmless spelling', { l: './/src/.//A.php' }],
    ['itself, in a circle', { l: 'm/x', m: 'n', n: './m', o: 'o' }],
  ])('checkSymlinks accepts a link to %s', (_, links) => {
    expect(() => check(links)).not.toThrow();
  });

  it.each<[string, Record<string, string>]>([
    ['its target is absolute', { l: '/etc/passwd' }],
    ['its target is absolute', { l: 'C:/x' }],
    ['its target is absolute', { l: 'missing/m', 'missing/m': '/etc' }],
    ['its target contains a backslash', { l: '..\\x' }],
    ['its target is no path', { l: '' }],
    ['its target is no path', { l: 'a\0b' }],
    ['it leaves the package', { l: '../x' }],
    ['it leaves the package', { 'a/l': '../../package/x' }],
    ['it leaves the package', { l: 'm/../../x', m: 'src' }],
    ['it leaves the package', { l: 'missing/../../x' }],
  ])('checkSymlinks refuses a link where %s', (why, links) => {
    const error = refusal(() => check(links));
    expect(error.code).toBe('UNSAFE_SYMLINK');
    expect(error.message).toContain(why);
    expect(error.message).toContain('"l"'.replace('l', Object.keys(links)[0] ?? ''));
  });

  it.each<[Record<string, string>, string[]]>([
    [{ l: 'missing' }, ['a']],
    [{ l: 'a/b' }, ['a']],
    [{ l: 'a/' }, ['a']],
    [{ l: 'a/..' }, ['a']],
    [{ l: 'missing/../a' }, ['a']],
  ])('where links must lead to a file, %j is refused beside %j', (links, files) => {
    expect(refusal(() => check(links, files)).message).toContain('there is nothing it points at');
    expect(() => check(links)).not.toThrow();
  });

  it.each<Record<string, string>>([{ l: 'l' }, { l: 'm', m: 'l' }, { l: 'm/x', m: 'n', n: './m' }])(
    'where links must lead to a file, %j is refused as a circle',
    (links) => expect(refusal(() => check(links, [])).message).toContain('it runs in a circle'),
  );

  it.each<[Record<string, string>, string[]]>([
    [{ l: 'src' }, ['src/a/A.php']],
    [{ l: 'm/../b', m: 'x/y' }, ['x/y/a', 'x/b']],
    [{ l: './/src/.//A.php' }, ['src/A.php']],
  ])('where links must lead to a file, %j is accepted beside %j', (links, files) => {
    expect(() => check(links, files)).not.toThrow();
  });

  it('the refusal names the unsafe link among safe links', () => {
    expect(refusal(() => check({ good: 'a', bad: '../a' })).message).toContain('"bad" → "../a"');
  });
});
