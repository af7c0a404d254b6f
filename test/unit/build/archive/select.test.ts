// Tests the selection of files for an archive: export-ignore, archive.exclude, credentials.

import { describe, expect, it } from 'vitest';
import { compileAttributes } from '../../../../build/archive/rules/attribute-lookup.ts';
import { compileComposerExcludes } from '../../../../build/archive/rules/composer-exclude.ts';
import { selectFiles } from '../../../../build/archive/select.ts';
import { itInSeries } from '../../../util/series.ts';

interface Rules {
  readonly attributes?: string | Readonly<Record<string, string>>;
  readonly excludes?: readonly string[];
}

async function select(
  paths: readonly string[],
  { attributes = {}, excludes = [] }: Rules = {},
): Promise<{ readonly kept: readonly string[]; readonly withheld: readonly string[] }> {
  const files = typeof attributes === 'string' ? { '': attributes } : attributes;
  const { files: kept, withheld } = await selectFiles(
    paths.map((path) => ({ path })),
    { attributes: Object.entries(files).map(([directory, text]) => ({ directory, text })), excludes },
  );
  return { kept: kept.map(({ path }) => path), withheld };
}

describe('selectFiles', async () => {
  it('without rules, all files stay in their order, dot-files too', async () => {
    const paths = [
      'src/B.php',
      '.gitattributes',
      '.gitignore',
      'composer.json',
      'src/A.php',
      '.github/workflows/ci.yml',
    ];
    expect(await select(paths)).toEqual({ kept: paths, withheld: [] });
  });

  it('files of version control are always excluded, and not reported as credentials', async () => {
    const paths = [
      '.git/config',
      '.git',
      'lib/.git',
      '.svn/entries',
      'a/.hg/store',
      '.bzr/x',
      '.jj/x',
      '_darcs/x',
      '.GIT/config',
    ];
    expect(await select([...paths, '.github/x', 'git/x', 'src/CVS/Parser.php'])).toEqual({
      kept: ['.github/x', 'git/x', 'src/CVS/Parser.php'],
      withheld: [],
    });
  });

  it('the composer.json of the package is always included, and one in a subfolder follows the rules', async () => {
    const rules = { attributes: '*.json export-ignore', excludes: ['composer.json'] };
    expect((await select(['composer.json', 'tests/composer.json', 'a.json'], rules)).kept).toEqual(['composer.json']);
  });

  it('export-ignore excludes composer.json of a git source, and `archive.exclude` cannot include it again', async () => {
    const attributes = [{ directory: '', text: '/composer.json export-ignore\n' }];
    const kept = async (excludes: readonly string[]): Promise<readonly string[]> =>
      (
        await selectFiles(
          ['composer.json', 'a.php'].map((path) => ({ path })),
          { attributes, excludes, mayLackComposerJson: true },
        )
      ).files.map(({ path }) => path);
    expect(await kept([])).toEqual(['a.php']);
    expect(await kept(['!/composer.json'])).toEqual(['composer.json', 'a.php']);
    expect(
      (
        await selectFiles([{ path: 'composer.json' }], {
          attributes: [],
          excludes: ['composer.json'],
          mayLackComposerJson: true,
        })
      ).files,
    ).toHaveLength(1);
  });

  it('export-ignore excludes the named files and everything below a named folder', async () => {
    const attributes = '/tests export-ignore\n*.md export-ignore\nREADME.md -export-ignore\n';
    expect(
      (await select(['tests/deep/A.php', 'src/tests/A.php', 'a.md', 'docs/b.md', 'README.md'], { attributes })).kept,
    ).toEqual(['src/tests/A.php', 'README.md']);
  });

  it('no rule below an ignored folder includes a file again', async () => {
    expect(
      (await select(['docs/keep.md'], { attributes: { '': 'docs export-ignore', docs: '* -export-ignore' } })).kept,
    ).toEqual([]);
  });

  it('the deepest .gitattributes applies first, and its patterns are relative to its folder', async () => {
    const attributes = { '': '*.txt export-ignore', 'a/b': '/x.txt -export-ignore' };
    expect((await select(['x.txt', 'a/x.txt', 'a/b/x.txt', 'a/b/c/x.txt'], { attributes })).kept).toEqual([
      'a/b/x.txt',
    ]);
  });

  it('macros of the root .gitattributes apply', async () => {
    const attributes = '[attr]private export-ignore -diff\n/secret private\n/public !private private=no\n';
    expect((await select(['secret/a', 'public/a'], { attributes })).kept).toEqual(['public/a']);
  });

  it.each([
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['b', 'ab', 'a/xb', 'x/a/b']],
    ['a/**', ['a/x', 'a/x/y'], ['a', 'b/a/x']],
    ['**/b', ['b', 'a/b', 'a/x/b'], ['ab', 'b2']],
    ['a/?**/b', ['a/x/b', 'a/xy/b'], ['a/b', 'a/x/y/b']],
    ['foo**/b', ['foob', 'foo/b', 'foox/y/b'], ['fo/b', 'a/foo/b']],
    ['a[!x]b/', [], ['a/b/c']],
    ['/a[!x]b', ['a-b'], ['a/b', 'axb']],
    ['d/', ['d/x', 'a/d/x'], ['d', 'a/d']],
    ['/d', ['d', 'd/x'], ['a/d']],
    ['"a b\\tc"', [], ['a b']],
    ['[[:upper:]]*.md', ['README.md', 'a/Readme.md'], ['readme.md']],
    ['?', ['a', 'a/b'], ['ü', 'ab']],
  ])('the pattern %s matches as in git', async (pattern, out, kept) => {
    expect((await select([...out, ...kept], { attributes: `${pattern} export-ignore` })).kept).toEqual(kept);
  });

  it('hostile patterns match in bounded time', async () => {
    const attributes = `${'*a'.repeat(200)}b export-ignore\n/${'**/'.repeat(200)}x export-ignore`;
    const path = `${'a'.repeat(250)}/${'a'.repeat(250)}`;
    expect((await select([path], { attributes })).kept).toEqual([path]);
  });

  it('archive.exclude applies as Composer documents it', async () => {
    const excludes = ['/foo/bar', 'baz', '/*.test', '!/foo/bar/baz'];
    const paths = ['dir/foo/bar/file', 'foo/bar/baz', 'file.php', 'foo/my.test', 'foo/bar/any', 'foo/baz', 'my.test'];
    expect((await select(paths, { excludes })).kept).toEqual([
      'dir/foo/bar/file',
      'foo/bar/baz',
      'file.php',
      'foo/my.test',
    ]);
  });

  it('archive.exclude can include files again that export-ignore excluded, as in composer archive', async () => {
    expect(
      (
        await select(['docs/a.md', 'tests/A.php'], {
          attributes: 'docs export-ignore\ntests export-ignore',
          excludes: ['!/docs'],
        })
      ).kept,
    ).toEqual(['docs/a.md']);
  });

  itInSeries(
    'archive.exclude and .gitattributes are refused when they take more work than any real package',
    async () => {
      const path = Array.from({ length: 4000 }, (_, at) => 'ab'[((at * at * 7919) >> 5) & 1]).join('');
      const paths = Array.from({ length: 50 }, (_, at) => `${path.slice(at)}${path.slice(0, at)}`);
      const patterns = Array.from({ length: 16 }, (_, at) => `*a${'?'.repeat(500 - at)}`);
      const attributes = patterns.map((pattern) => `${pattern}\texport-ignore\n`).join('');
      const refused = /archive\.exclude and \.gitattributes take too much work .* Use fewer or shorter patterns/;
      await expect(select(paths, { excludes: patterns })).rejects.toThrow(refused);
      await expect(select(paths, { attributes })).rejects.toThrow(refused);
      const macros = Array.from({ length: 1000 }, (_, at) => `[attr]m${at} m${at + 1}\n`).join('');
      await expect(select(['a'], { attributes: macros })).rejects.toThrow(refused);
    },
  );

  it('a try of a rule that misses counts as the time it takes', () => {
    let work = 0;
    const count = (more: number): void => void (work += more);
    const text = Array.from({ length: 100 }, (_, at) => `*.x${at} export-ignore`).join('\n');
    const excluded = compileComposerExcludes(Array<string>(100).fill('/a'), count);
    const ignored = compileAttributes([{ directory: '', text }], ['export-ignore'], count);
    for (const decide of [() => excluded('b', false), () => ignored?.('b', false)]) {
      work = 0;
      decide();
      expect(work).toBeGreaterThanOrEqual(100 * 25);
    }
  });

  it('macros of many states are refused when they take too much work', async () => {
    const macro = (at: number): string =>
      `[attr]m${at} ${at === 0 ? 'export-ignore' : `m${at - 1}`} ${'z '.repeat(500)}`;
    await expect(
      select(['a'], { attributes: Array.from({ length: 600 }, (_, at) => macro(at)).join('\n') }),
    ).rejects.toThrow(/take too much work/);
  });

  it('60 ordinary patterns in both places and 10,000 paths of 100 bytes are no refusal', async () => {
    const names = ['tests', 'docs', '.github', 'examples', 'build', 'bin', 'fixtures', 'assets', 'node_modules', 'ci'];
    const patterns = names.flatMap((name) => [
      name,
      `/${name}`,
      `/${name}/**`,
      `*.${name}`,
      `${name}.*`,
      `a/**/${name}`,
    ]);
    const paths = Array.from(
      { length: 10_000 },
      (_, at) => `${`src/Module${at % 97}/Component/`.repeat(4)}File${at}.php`,
    );
    const attributes = patterns.map((pattern) => `${pattern} export-ignore\n`).join('');
    expect((await select(paths, { attributes, excludes: patterns })).kept).toHaveLength(10_000);
  });

  // backtracking took minutes for the first, and never ended for the others
  it.each(['*a'.repeat(30), '{a,aa}'.repeat(40), `${'**/'.repeat(40)}x`, '{,a}'.repeat(40)])(
    'archive.exclude with the pattern %s is decided in linear time',
    async (pattern) => {
      const paths = [`${'a'.repeat(200)}b`, `${'a/'.repeat(100)}b`];
      expect((await select(paths, { excludes: [`${pattern}c`] })).kept).toEqual(paths);
    },
  );

  it('an exclude that is no pattern is ignored', async () => {
    expect((await select(['a', '[b'], { excludes: ['[', '{a', 'a}'] })).kept).toEqual(['a', '[b']);
  });
});

describe('row 59: credentials', () => {
  const withheld = [
    'auth.json',
    'sub/auth.json',
    '.composer/auth.json',
    '.env',
    'app/.env',
    '.env.local',
    '.env.production',
    '.ENV',
    '.envrc',
    '.npmrc',
    '.netrc',
    '_netrc',
    '.pypirc',
    '.git-credentials',
    '.htpasswd',
    '.ssh/config',
    '.aws/credentials',
    '.docker/config.json',
    'id_rsa',
    'keys/id_ed25519',
    'id_rsa_deploy',
    'server.key',
    'private.pem',
    'client.pem',
    'ca-key.pem',
    'certs/server-key.pem',
    'oauth-private.key',
    'private-public.pem',
    'store.p12',
    'cert.pfx',
    'putty.ppk',
    'release.jks',
    'AuthKey_AB12.p8',
    '.env.\u2028local',
    'id_rsa.\u2028old',
  ];
  const kept = [
    '.env.example',
    '.env.dist',
    '.env.local.sample',
    '.env.testing.template',
    'env',
    '.environment',
    'env.php',
    'resources/lang/de/auth.json',
    'locales/en/auth.json',
    'src/auth.json.php',
    'id_rsa.pub',
    'id_rsa_test.pub',
    'cacert.pem',
    'res/ca-bundle.pem',
    'ca-certificates.crt',
    'data/AppleRootCA.pem',
    'isrgrootx1.pem',
    'fullchain.pem',
    'public.key',
    'oauth-public.key',
    'pub.pem',
    'jwt-public-key.pem',
    'truststore.jks',
    'dhparams.pem',
    'certs/ca.pem',
    'src/Key.php',
    'key',
    'docs/keys.md',
  ];

  it('credentials are excluded by their names and reported', async () => {
    expect(await select(withheld)).toEqual({ kept: [], withheld });
  });

  it('templates, translations, public keys and certificates are included', async () => {
    expect(await select(kept)).toEqual({ kept, withheld: [] });
  });

  it('credentials stay excluded where archive.exclude includes them; excluded credentials are not reported', async () => {
    expect(await select(['.env', 'tests/.env'], { attributes: '/tests export-ignore', excludes: ['!.env'] })).toEqual({
      kept: [],
      withheld: ['.env', 'tests/.env'],
    });
    expect(await select(['tests/.env'], { attributes: '/tests export-ignore' })).toEqual({ kept: [], withheld: [] });
  });
});
