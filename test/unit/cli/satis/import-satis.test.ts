// Tests the conversion of a satis.json into a libretto.json: the result, and one report line for every option.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { importSatis } from '../../../../cli/satis/import-satis.ts';
import { lostArchiveOptions, lostOptions } from '../../../../cli/satis/options.ts';
import type { OptionOutcome } from '../../../../cli/satis/report.ts';
import type { JsonObject, JsonValue } from '../../../../build/contract/json.ts';

const satis = (options: JsonObject) =>
  importSatis(options, { rebase: (path) => `rebased/${path}`, exists: (path) => path === 'folder:name/x' });
const sources = (...repositories: readonly JsonValue[]): unknown => satis({ repositories }).config['sources'];
const outcomes = (options: JsonObject): Record<string, OptionOutcome> =>
  Object.fromEntries(satis(options).lines.map(({ option, outcome }) => [option, outcome]));

describe('repositories', () => {
  it.each([
    [
      { type: 'vcs', url: 'https://git.example.org/a.git' },
      { type: 'git', url: 'https://git.example.org/a.git' },
    ],
    [
      { type: 'git', url: 'git@git.example.org:acme/a.git' },
      { type: 'git', url: 'git@git.example.org:acme/a.git' },
    ],
    [
      { type: 'github', url: 'git+ssh://git@git.example.org/a.git' },
      { type: 'git', url: 'ssh://git@git.example.org/a.git' },
    ],
    [
      { type: 'vcs', url: '../lib' },
      { type: 'git', path: 'rebased/../lib' },
    ],
    [
      { type: 'vcs', url: 'file:///srv/lib.git' },
      { type: 'git', path: 'rebased//srv/lib.git' },
    ],
    [
      { type: 'path', url: 'packages/*' },
      { type: 'directory', path: 'rebased/packages' },
    ],
    [
      { type: 'path', url: '*' },
      { type: 'directory', path: 'rebased/.' },
    ],
    [
      { type: 'composer', url: 'https://u:s3cr3tpw@repo.example.org', only: ['tools/*'], exclude: ['tools/x'] },
      { type: 'composer', url: 'https://repo.example.org', only: ['tools/*'], except: ['tools/x'] },
    ],
    [
      { type: 'artifact', url: 'zips' },
      { type: 'artifact', path: 'rebased/zips' },
    ],
    [
      { type: 'package', package: { name: 'a/b', version: '1', dist: { type: 'zip', url: 'x.zip' } } },
      { type: 'package', packages: [{ name: 'a/b', version: '1', dist: { type: 'zip', url: 'rebased/x.zip' } }] },
    ],
    [
      { type: 'package', package: [{ name: 'a/b', version: '1', dist: { type: 'zip', url: 'https://h/x.zip' } }] },
      { type: 'package', packages: [{ name: 'a/b', version: '1', dist: { type: 'zip', url: 'https://h/x.zip' } }] },
    ],
    [
      { type: 'vcs', url: 'https://h/a', only: ['acme/*'], exclude: ['acme/x'] },
      { type: 'git', url: 'https://h/a', only: ['acme/*'], except: ['acme/x'] },
    ],
  ])('the repositories %j are carried over', (repository, source) => expect(sources(repository)).toEqual([source]));

  it('an ssh address is no folder, unless a folder has its name', () => {
    for (const url of ['alias:group/a.git', 'git.example.org:group/a.git', 'git@[2001:db8::1]:group/a.git'])
      expect(sources({ type: 'vcs', url })).toEqual([{ type: 'git', url }]);
    expect(sources({ type: 'vcs', url: 'folder:name/x' })).toEqual([{ type: 'git', path: 'rebased/folder:name/x' }]);
  });

  it.each([
    { type: 'composer', url: '../satis' },
    { type: 'svn', url: 'https://svn.example.org' },
    { type: 'vcs', url: 'git://git.example.org/a.git' },
    { type: 'vcs', url: 'http://git.example.org/a.git' },
    { type: 'path', url: 'packages/{a,b}' },
    { type: 'package', package: { name: 'a/b' } },
    { type: 'vcs' },
    5,
  ])('the repository %j is reported as not carried over', (repository) => {
    const { config, lines } = satis({ repositories: [repository] });
    expect(config['sources']).toEqual([]);
    expect(lines.map(({ option, outcome }) => [option.slice(0, 15), outcome])).toEqual([
      ['repositories[0]', 'not-carried'],
    ]);
  });

  it('repositories may have names, and may turn packagist off', () => {
    const { config, lines } = satis({
      repositories: { lib: { type: 'vcs', url: 'https://h/a' }, 'packagist.org': false },
    });
    expect(config['sources']).toEqual([{ type: 'git', url: 'https://h/a' }]);
    expect(lines.map(({ option, outcome }) => [option, outcome])).toEqual([
      ['repositories["lib"]', 'carried'],
      ['repositories["packagist.org"]', 'as-is'],
    ]);
    expect(outcomes({ repositories: [{ 'packagist.org': false }] })).toEqual({ 'repositories[0]': 'as-is' });
  });

  it('repositories lose their credentials, and the report does not repeat them', () => {
    const result = satis({
      repositories: [
        { type: 'vcs', url: 'https://me:hunter2@h/a.git' },
        { type: 'vcs', url: 'ssh://git:hunter2@h/b.git' },
      ],
      config: { 'http-basic': { h: { username: 'me', password: 'hunter2' } } },
    });
    expect(result.config['sources']).toEqual([
      { type: 'git', url: 'https://h/a.git' },
      { type: 'git', url: 'ssh://git@h/b.git' },
    ]);
    expect(JSON.stringify(result)).not.toContain('hunter2');
    expect(outcomes({ repositories: [{ type: 'vcs', url: 'https://me:pw@h/a.git' }] })).toEqual({
      'repositories[0]': 'carried',
      'repositories[0].url': 'not-carried',
    });
  });

  it('inline packages of a satis.json are carried over without their credentials', () => {
    const dist = { type: 'zip', url: 'https://u:s3cr3tpw@h/x.zip?v=1', mirrors: [{ url: 'https://s3cr3tpw@m/x.zip' }] };
    const source = { type: 'git', url: 'ssh://git:s3cr3tpw@h/x.git', reference: 'main' };
    const package_ = { name: 'a/b', version: '1', homepage: 'https://h/@b', dist, source };
    const result = satis({
      repositories: [
        { type: 'package', package: package_ },
        {
          type: 'package',
          package: [{ name: 'a/c', version: '1', source: { type: 'git', url: 'git:s3cr3tpw@h:x.git' } }],
        },
      ],
    });
    expect(JSON.stringify(result)).not.toContain('s3cr3tpw');
    expect(result.config['sources']).toEqual([
      {
        type: 'package',
        packages: [
          {
            ...package_,
            dist: { ...dist, url: 'https://h/x.zip?v=1', mirrors: [{ url: 'https://m/x.zip' }] },
            source: { ...package_.source, url: 'ssh://git@h/x.git' },
          },
        ],
      },
      { type: 'package', packages: [{ name: 'a/c', version: '1', source: { type: 'git', url: 'git@h:x.git' } }] },
    ]);
    expect(result.lines.filter(({ outcome }) => outcome === 'not-carried').map(({ option }) => option)).toEqual(
      ['dist.url', 'dist.mirrors[0].url', 'source.url']
        .map((field) => `repositories[0].package.${field}`)
        .concat('repositories[1].package[0].source.url'),
    );
  });

  it.each([
    { type: 'vcs', url: 'https://h/lib.git?token=s3cr3tpw' },
    { type: 'vcs', url: 'git+http://user:s3cr3tpw@h/x' },
    { type: 'path', url: 'https://user:s3cr3tpw@h/x' },
    { type: 'artifact', url: 'user:s3cr3tpw@h:x' },
  ])('an entry that is no repository shows no credentials in the report: %j', (repository) => {
    const result = satis({ repositories: { 'https://u:s3cr3tpw@h': repository } });
    expect(result.config['sources']).toEqual([]);
    expect(JSON.stringify(result)).not.toContain('s3cr3tpw');
  });

  it('a git repository by ssh with a password is carried over without the password', () => {
    expect(sources({ type: 'vcs', url: 'git:hunter2@h:x.git' })).toEqual([{ type: 'git', url: 'git@h:x.git' }]);
  });

  it('a repository that is listed twice is carried over once', () => {
    expect(sources({ type: 'vcs', url: 'https://h/a' }, { type: 'git', url: 'https://h/a' })).toHaveLength(1);
  });
});

describe('the limits of published packages', () => {
  const repositories = [{ type: 'vcs', url: 'https://h/a', exclude: ['acme/y'] }];
  const filters = (options: JsonObject): unknown => satis({ repositories, ...options }).config['sources'];
  const source = { type: 'git', url: 'https://h/a', except: ['acme/y'] };

  it.each([
    [{}, source],
    [
      { require: { 'Acme/A': '^1', 'acme/b': '*', php: '>=8' } },
      { ...source, only: ['acme/a', 'acme/b'], versions: { 'acme/a': '^1' } },
    ],
    [{ require: { 'acme/a': '^1' }, 'require-all': true }, source],
    [{ blacklist: { 'acme/x': '<2' } }, { ...source, except: { 'acme/x': '<2', 'acme/y': '*' } }],
    [{ 'minimum-stability': 'rc' }, { ...source, 'minimum-stability': 'RC' }],
    [{ 'minimum-stability': 'dev' }, source],
  ])('are converted from %j', (options, expected) => expect(filters(options)).toEqual([expected]));

  it('are for a Composer repository the required names without the excluded ones, for all versions', () => {
    const { config, lines } = satis({
      repositories: [{ type: 'composer', url: 'https://repo.example.org' }],
      require: { 'tools/a': '^1', 'tools/b': '*' },
      blacklist: { 'tools/b': '*', 'tools/c': '<2' },
      'minimum-stability': 'stable',
    });
    expect(config['sources']).toEqual([
      { type: 'composer', url: 'https://repo.example.org', only: ['tools/a', 'tools/b'], except: ['tools/b'] },
    ]);
    expect(lines.find(({ option }) => option === 'repositories[0]')).toMatchObject({
      outcome: 'carried',
      detail: expect.stringContaining('not the versions') as string,
    });
  });

  it('are for a repository with an "only" the required names that match it', () => {
    const required = (only: readonly string[]) =>
      satis({
        repositories: [
          { type: 'vcs', url: 'https://h/a', only },
          { type: 'vcs', url: 'https://h/b' },
        ],
        require: { 'mm/b': '^1.0', 'nn/c': '*' },
      });
    const other = { type: 'git', url: 'https://h/b', only: ['mm/b', 'nn/c'], versions: { 'mm/b': '^1.0' } };
    expect(required(['mm/*']).config['sources']).toEqual([
      { type: 'git', url: 'https://h/a', only: ['mm/b'], versions: { 'mm/b': '^1.0' } },
      other,
    ]);
    expect(required(['NN/c', 'x/y']).config['sources']).toEqual([
      { type: 'git', url: 'https://h/a', only: ['nn/c'] },
      other,
    ]);
    const none = required(['oo/*']);
    expect(none.config['sources']).toEqual([other]);
    expect(none.lines.filter(({ option }) => option.startsWith('repositories[0]'))).toEqual([
      { option: 'repositories[0]', outcome: 'not-carried', detail: expect.stringContaining('left out') },
    ]);
  });

  it.each<JsonValue>([{}, [], { php: '>=8' }, { 'acme/a': '^^1' }])(
    'exclude the repository where require names no package: %j',
    (require) => {
      const { config, lines } = satis({ repositories, require });
      expect(config['sources']).toEqual([]);
      expect(lines).toContainEqual({
        option: 'repositories[0]',
        outcome: 'not-carried',
        detail: expect.stringContaining('"require" names no package'),
      });
    },
  );

  it('report a constraint that Composer refuses', () => {
    expect(outcomes({ require: { 'acme/a': '^^1' }, blacklist: ['acme/a'] })).toEqual({
      'require["acme/a"]': 'not-carried',
      blacklist: 'not-carried',
    });
  });
});

describe('options that cannot be carried over', () => {
  it('are reported, each pattern separately, and the others are carried over', () => {
    const { config, lines } = satis({
      repositories: [
        { type: 'vcs', url: 'https://h/a', only: ['acme/*', 'acme/{a,b}', '/^x/'] },
        { type: 'path', url: 'a/*/src' },
      ],
    });
    expect(config['sources']).toEqual([{ type: 'git', url: 'https://h/a', only: ['acme/*'] }]);
    const lost = lines
      .filter(({ outcome }) => outcome === 'not-carried')
      .map(({ option, detail }) => `${option}: ${detail}`)
      .join('\n');
    for (const pattern of [
      'repositories[0].only[1]: "acme/{a,b}"',
      'repositories[0].only[2]: "/^x/"',
      'repositories[1].url: The pattern "a/*/src"',
    ])
      expect(lost).toContain(pattern);
  });

  it('exclude invalid stabilities of single packages, and valid ones are carried over', () => {
    const { config, lines } = satis({
      repositories: [{ type: 'vcs', url: 'https://h/a' }],
      'minimum-stability': 'stable',
      'minimum-stability-per-package': { 'Acme/A': 'dev', 'acme/b': 'rc', 'acme/c': 'sometimes', php: 'dev' },
    });
    expect(config['sources']).toEqual([
      {
        type: 'git',
        url: 'https://h/a',
        'minimum-stability': 'stable',
        'minimum-stability-per-package': { 'acme/a': 'dev', 'acme/b': 'RC' },
      },
    ]);
    expect(lines.filter(({ outcome }) => outcome === 'not-carried').map(({ option }) => option)).toEqual([
      'minimum-stability-per-package["acme/c"]',
      'minimum-stability-per-package["php"]',
    ]);
  });
});

describe('every option of Satis', () => {
  /** all options in Satis' schema, and those that only its code reads, with values that have an effect */
  const all: JsonObject = {
    name: 'acme/satis',
    description: 'd',
    homepage: 'https://packages.example.org',
    require: { 'acme/a': '^1' },
    repositories: [],
    'repositories-dep': [{}],
    'minimum-stability': 'stable',
    'minimum-stability-per-package': { 'acme/a': 'dev' },
    abandoned: { 'acme/a': true },
    blacklist: { 'acme/a': '1.0' },
    'include-types': ['library'],
    'exclude-types': ['project'],
    'require-all': false,
    'require-dependencies': true,
    'require-dev-dependencies': true,
    'only-dependencies': true,
    'only-best-candidates': true,
    'require-dependency-filter': false,
    'strip-hosts': true,
    'include-filename': 'x',
    includes: true,
    'output-dir': 'o',
    'output-html': true,
    providers: true,
    'providers-history-size': 5,
    'twig-template': 't',
    'notify-batch': 'n',
    _comment: 'c',
    'pretty-print': true,
    'available-package-patterns': ['*'],
    'allow-seo-indexing': true,
    config: { 'process-timeout': 5 },
    archive: {
      directory: 'd',
      'absolute-directory': '/d',
      'prefix-url': 'https://h',
      format: 'tar',
      'skip-dev': true,
      whitelist: ['a'],
      blacklist: ['a'],
      checksum: false,
      'ignore-filters': true,
      'override-dist-type': 'x',
      rearchive: false,
    },
  };

  it('gets a report line', () => {
    const reported = satis({ ...all, frobnicate: 1 }).lines.map(({ option }) => option.replace(/\[.*$/, ''));
    const asked = [
      ...Object.keys(all).filter((option) => option !== 'archive' && option !== 'config' && option !== 'repositories'),
      ...Object.keys(all['archive'] as JsonObject).map((option) => `archive.${option}`),
      'config.process-timeout',
      'frobnicate',
    ];
    expect(asked.filter((option) => !reported.includes(option))).toEqual([]);
    expect(reported.filter((option) => !asked.includes(option))).toEqual([]);
  });

  it('is unknown with the name of a member that every object has', () => {
    const options = { constructor: true, archive: { toString: true }, repositories: [{ type: 'valueOf', url: 'x' }] };
    expect(satis(options as unknown as JsonObject).lines.map(({ option, detail }) => `${option}: ${detail}`)).toEqual([
      'repositories[0]: Libretto has no sources of type valueOf.',
      'archive.toString: Libretto does not know this Satis option.',
      'constructor: Libretto does not know this Satis option.',
    ]);
  });

  it('is reported as no loss where Satis and Libretto behave alike', () => {
    expect(
      new Set(
        Object.values(
          outcomes({
            'require-all': true,
            'require-dependencies': false,
            'minimum-stability': 'dev',
            archive: { directory: 'dist', format: 'zip', checksum: true, 'skip-dev': false, rearchive: true },
            'strip-hosts': false,
            'output-html': false,
            'repositories-dep': [],
          }),
        ),
      ),
    ).toEqual(new Set(['as-is']));
  });

  it('is listed in docs/how-to/satis.md', () => {
    const rows = readFileSync(new URL('../../../../docs/how-to/satis.md', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .join('\n');
    const options = [
      ...Object.keys(all).filter((option) => option !== 'archive'),
      ...Object.keys(lostOptions),
      ...Object.keys(lostArchiveOptions).map((option) => `archive.${option}`),
    ];
    expect(options.filter((option) => !rows.includes(`\`${option}\``))).toEqual([]);
  });
});
