// Tests the paths and symbolic links that an archive may not contain.

import { describe, expect, it } from 'vitest';
import { checkFilePath, checkFileTree, unsafeLinks } from '../../../../build/archive/safe-paths.ts';
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
    expect(error.message).toContain(JSON.stringify(path).slice(0, 200));
  });
});

it('the refusal of a path of megabytes is short', () => {
  const error = refusal(() => checkFilePath('n'.repeat(5_000_000)));
  expect(error.message).toMatch(/^The path "n{200}…" cannot be published: it is longer than 4096 bytes/);
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

/** The reason of the first unsafe link, or `safe`. With `files`, links must lead to one of them or to a folder. */
const check = (links: Record<string, string>, files?: readonly string[]): string => {
  const found = unsafeLinks(new Map(Object.entries(links)), files && [...files, ...Object.keys(links)]);
  return [...found.values()][0] ?? 'safe';
};

describe('row 52: unsafeLinks', () => {
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
  ])('unsafeLinks accepts a link to %s', (_, links) => {
    expect(check(links)).toBe('safe');
  });

  it.each<[string, Record<string, string>]>([
    ['its target is absolute', { l: '/etc/passwd' }],
    ['its target is absolute', { l: 'C:/x' }],
    ['its target is absolute', { l: './C:/x' }],
    ['its target is absolute', { l: 'missing/m', 'missing/m': '/etc' }],
    ['its target contains a backslash', { l: '..\\x' }],
    ['its target is no path', { l: '' }],
    ['its target is no path', { l: 'a\0b' }],
    ['it leaves the package', { l: '../x' }],
    ['it leaves the package', { 'a/l': '../../package/x' }],
    ['it leaves the package', { l: 'm/../../x', m: 'src' }],
    ['it leaves the package', { l: 'missing/../../x' }],
  ])('unsafeLinks finds a link where %s', (why, links) => {
    expect(check(links)).toContain(why);
    expect(check(links)).toContain('"l"'.replace('l', Object.keys(links)[0] ?? ''));
  });

  it('a link that leads upwards behind a long chain or a circle is unsafe, and the chain alone is safe', () => {
    const chain = Object.fromEntries(Array.from({ length: 45 }, (_, at) => [`l${at}`, at < 44 ? `l${at + 1}` : 'd']));
    const upwards = 'it leads upwards behind more than 40 links';
    expect(check({ ...chain, x: 'l0/a' })).toBe('safe');
    expect(check({ x: 'l0/../..', ...chain })).toContain(upwards);
    expect(check({ x: 'm/..', m: 'm' })).toContain(upwards);
  });

  it.each<[Record<string, string>, string[]]>([
    [{ l: 'missing' }, ['a']],
    [{ l: 'a/b' }, ['a']],
    [{ l: 'a/' }, ['a']],
    [{ l: 'a/..' }, ['a']],
    [{ l: 'missing/../a' }, ['a']],
  ])('where links must lead to a file, %j is refused beside %j', (links, files) => {
    expect(check(links, files)).toContain('there is nothing it points at');
    expect(check(links)).toBe('safe');
  });

  it.each<Record<string, string>>([{ l: 'l' }, { l: 'm', m: 'l' }, { l: 'm/x', m: 'n', n: './m' }])(
    'where links must lead to a file, %j is refused as a circle',
    (links) => expect(check(links, [])).toContain('it follows more than 40 links'),
  );

  it.each<[Record<string, string>, string[]]>([
    [{ l: 'src' }, ['src/a/A.php']],
    [{ l: 'm/../b', m: 'x/y' }, ['x/y/a', 'x/b']],
    [{ l: './/src/.//A.php' }, ['src/A.php']],
  ])('where links must lead to a file, %j is accepted beside %j', (links, files) => {
    expect(check(links, files)).toBe('safe');
  });

  it('the refusal names the unsafe link among safe links', () => {
    expect(check({ good: 'a', bad: '../a' })).toContain('"bad" → "../a"');
  });

  it('links that need too many steps are unsafe, whether they are many, follow others, or are beside many paths', () => {
    const links = (count: number, target: (index: number) => string): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${index}`, target(index)]));
    const long = `${'a/'.repeat(2000)}x`;
    const limit = 'need more than 1000000 steps';
    expect(check(links(200, () => long))).toBe('safe');
    expect(check(links(2000, () => long))).toContain(limit);
    const chained = links(1000, (index) => `l${index + 1}/${'a/'.repeat(500)}`);
    expect(unsafeLinks(new Map(Object.entries(chained))).get('l900')).toContain(limit);
    expect(check({ l: 'x' }, ['x'])).toBe('safe');
    expect(check({ l: 'x' }, ['x', ...Array.from({ length: 1000 }, (_, index) => `${index}/${long}`)])).toContain(
      limit,
    );
  });
});
