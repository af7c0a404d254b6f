// Tests the selection of files for an archive: export-ignore, archive.exclude, credentials.

import { describe, expect, it } from 'vitest';
import { selectFiles } from '../../../../build/archive/select.ts';

interface Rules {
  readonly attributes?: string | Readonly<Record<string, string>>;
  readonly excludes?: readonly string[];
}

function select(
  paths: readonly string[],
  { attributes = {}, excludes = [] }: Rules = {},
): { readonly kept: readonly string[]; readonly withheld: readonly string[] } {
  const files = typeof attributes === 'string' ? { '': attributes } : attributes;
  const { files: kept, withheld } = selectFiles(
    paths.map((path) => ({ path })),
    { attributes: Object.entries(files).map(([directory, text]) => ({ directory, text })), excludes },
  );
  return { kept: kept.map(({ path }) => path), withheld };
}

describe('selectFiles', () => {
  it('without rules, all files stay in their order, dot-files too', () => {
    const paths = [
      'src/B.php',
      '.gitattributes',
      '.gitignore',
      'composer.json',
      'src/A.php',
      '.github/workflows/ci.yml',
    ];
    expect(select(paths)).toEqual({ kept: paths, withheld: [] });
  });

  it('files of version control are always excluded, and not reported as credentials', () => {
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
    expect(select([...paths, '.github/x', 'git/x', 'src/CVS/Parser.php'])).toEqual({
      kept: ['.github/x', 'git/x', 'src/CVS/Parser.php'],
      withheld: [],
    });
  });

  it('the composer.json of the package is always included, and one in a subfolder follows the rules', () => {
    const rules = { attributes: '*.json export-ignore', excludes: ['composer.json'] };
    expect(select(['composer.json', 'tests/composer.json', 'a.json'], rules).kept).toEqual(['composer.json']);
  });

  it('export-ignore excludes composer.json of a git source, and `archive.exclude` cannot include it again', () => {
    const attributes = [{ directory: '', text: '/composer.json export-ignore\n' }];
    const kept = (excludes: readonly string[]): readonly string[] =>
      selectFiles(
        ['composer.json', 'a.php'].map((path) => ({ path })),
        { attributes, excludes, mayLackComposerJson: true },
      ).files.map(({ path }) => path);
    expect(kept([])).toEqual(['a.php']);
    expect(kept(['!/composer.json'])).toEqual(['composer.json', 'a.php']);
    expect(
      selectFiles([{ path: 'composer.json' }], {
        attributes: [],
        excludes: ['composer.json'],
        mayLackComposerJson: true,
      }).files,
    ).toHaveLength(1);
  });

  it('export-ignore excludes the named files and everything below a named folder', () => {
    const attributes = '/tests export-ignore\n*.md export-ignore\nREADME.md -export-ignore\n';
    expect(
      select(['tests/deep/A.php', 'src/tests/A.php', 'a.md', 'docs/b.md', 'README.md'], { attributes }).kept,
    ).toEqual(['src/tests/A.php', 'README.md']);
  });

  it('no rule below an ignored folder includes a file again', () => {
    expect(
      select(['docs/keep.md'], { attributes: { '': 'docs export-ignore', docs: '* -export-ignore' } }).kept,
    ).toEqual([]);
  });

  it('the deepest .gitattributes applies first, and its patterns are relative to its folder', () => {
    const attributes = { '': '*.txt export-ignore', 'a/b': '/x.txt -export-ignore' };
    expect(select(['x.txt', 'a/x.txt', 'a/b/x.txt', 'a/b/c/x.txt'], { attributes }).kept).toEqual(['a/b/x.txt']);
  });

  it('macros of the root .gitattributes apply', () => {
    const attributes = '[attr]private export-ignore -diff\n/secret private\n/public !private private=no\n';
    expect(select(['secret/a', 'public/a'], { attributes }).kept).toEqual(['public/a']);
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
  ])('the pattern %s matches as in git', (pattern, out, kept) => {
    expect(select([...out, ...kept], { attributes: `${pattern} export-ignore` }).kept).toEqual(kept);
  });

  it('hostile patterns match in bounded time', () => {
    const attributes = `${'*a'.repeat(200)}b export-ignore\n/${'**/'.repeat(200)}x export-ignore`;
    const path = `${'a'.repeat(250)}/${'a'.repeat(250)}`;
    expect(select([path], { attributes }).kept).toEqual([path]);
  });

  it('archive.exclude applies as Composer documents it', () => {
    const excludes = ['/foo/bar', 'baz', '/*.test', '!/foo/bar/baz'];
    const paths = ['dir/foo/bar/file', 'foo/bar/baz', 'file.php', 'foo/my.test', 'foo/bar/any', 'foo/baz', 'my.test'];
    expect(select(paths, { excludes }).kept).toEqual(['dir/foo/bar/file', 'foo/bar/baz', 'file.php', 'foo/my.test']);
  });

  it('archive.exclude can include files again that export-ignore excluded, as in composer archive', () => {
    expect(
      select(['docs/a.md', 'tests/A.php'], {
        attributes: 'docs export-ignore\ntests export-ignore',
        excludes: ['!/docs'],
      }).kept,
    ).toEqual(['docs/a.md']);
  });

  it.each([
    ['rules', '/docs/page export-ignore\n'.repeat(5001)],
    ['macros', Array.from({ length: 300 }, (_, at) => `[attr]m${at} m${at + 1}\n`).join('')],
  ])('.gitattributes with more %s than a build should match are refused', (_, attributes) => {
    expect(() => select(['a'], { attributes })).toThrow(/more than 5000 rules or 250 macros/);
  });

  // backtracking took minutes for the first, and never ended for the others
  it.each(['*a'.repeat(30), '{a,aa}'.repeat(40), `${'**/'.repeat(40)}x`, '{,a}'.repeat(40)])(
    'archive.exclude with the pattern %s is decided in linear time',
    (pattern) => {
      const paths = [`${'a'.repeat(200)}b`, `${'a/'.repeat(100)}b`];
      expect(select(paths, { excludes: [`${pattern}c`] }).kept).toEqual(paths);
    },
  );

  it('an exclude that is no pattern is ignored', () => {
    expect(select(['a', '[b'], { excludes: ['[', '{a', 'a}'] }).kept).toEqual(['a', '[b']);
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

  it('credentials are excluded by their names and reported', () => {
    expect(select(withheld)).toEqual({ kept: [], withheld });
  });

  it('templates, translations, public keys and certificates are included', () => {
    expect(select(kept)).toEqual({ kept, withheld: [] });
  });

  it('credentials stay excluded where archive.exclude includes them; excluded credentials are not reported', () => {
    expect(select(['.env', 'tests/.env'], { attributes: '/tests export-ignore', excludes: ['!.env'] })).toEqual({
      kept: [],
      withheld: ['.env', 'tests/.env'],
    });
    expect(select(['tests/.env'], { attributes: '/tests export-ignore' })).toEqual({ kept: [], withheld: [] });
  });
});
