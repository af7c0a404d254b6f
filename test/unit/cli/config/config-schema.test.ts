// Tests docs/libretto.schema.json (`npx vitest -u` writes it anew). The schema and the program accept and refuse the
// same files, except for rules that a schema cannot express.

import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { afterAll, describe, expect, it } from 'vitest';

import { configSchema } from '../../../../cli/config/config-schema.ts';
import { loadConfig } from '../../../../cli/config/config.ts';
import { UsageError } from '../../../../cli/io/usage-error.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

const root = new URL('../../../..', import.meta.url).pathname;
const folder = temporaryFolder('schema');
afterAll(() => folder.remove());

const bySchema = new Ajv({ strict: true, strictRequired: false, strictTypes: false }).compile(
  JSON.parse(readFileSync(`${root}docs/libretto.schema.json`, 'utf8')) as object,
);

/** The problems, without the name of the file; empty for an accepted file. */
async function byProgram(config: unknown): Promise<string[]> {
  const path = folder.at('libretto.json');
  writeFileSync(path, JSON.stringify(config));
  try {
    await loadConfig({ flags: { config: path }, environment: {}, workingDirectory: folder.path });
    return [];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const [first = '', ...more] = error.message.replaceAll(` in ${path}`, '').split('\n');
    return more.length === 0
      ? [first.replace('The configuration cannot be used: ', '')]
      : more.map((line) => line.trim());
  }
}

const git = (fields: object): object => ({
  sources: [{ type: 'git', url: 'https://git.example.org/a.git', ...fields }],
});
const folderOf = (fields: object): object => ({ sources: [{ type: 'directory', path: 'packages', ...fields }] });
const inline = { name: 'acme/tool', version: '1.0.0', dist: { type: 'zip', url: 'https://example.org/tool.zip' } };

const good: readonly object[] = [
  {},
  {
    $schema: './docs/libretto.schema.json',
    data: '/srv/libretto',
    listen: '0.0.0.0:8080',
    redis: 'redis://cache/0',
    metadataUrl: '/p2/%package%.json',
    distUrl: 'path',
    trustedProxies: ['10.0.0.0/8', '::1'],
    jobs: 4,
    log: '-',
    limits: { read: 0, write: 5 },
  },
  {
    listen: '[::1]:65535',
    redis: 'rediss://me:secret@cache:6379/1',
    state: 'redis+sentinel://me:secret@one,two:1/packages/1',
    log: 'log/requests.log',
    jobs: 256,
  },
  { listen: '0.0.0.0' },
  { listen: '::' },
  { listen: '[::1]' },
  { listen: 'packages.example.org' },
  { listen: '8080', limits: { read: 1000000000 }, tlsCert: '/etc/libretto/fullchain.pem', tlsKey: 'tls/privkey.pem' },
  {
    listen: 8080,
    distUrl: 'https://packages.example.org/base',
    metadataUrl: 'https://packages.example.org/p2/%package%.json',
    limits: {},
  },
  {
    name: 'Acme',
    description: 'Packages of Acme',
    homepage: 'https://packages.example.org',
    abandoned: { 'acme/old': 'acme/new', 'Acme/Dead': true, 'acme/alive': false, 'acme/web': 'https://example.org' },
    archive: { exclude: ['/docs', '!/docs/keep'] },
    egress: { allow: ['10.0.0.0/8', '::1'] },
  },
  {
    sources: [],
    archive: { exclude: [] },
    egress: { allow: [] },
    abandoned: {},
    advertise: [],
    warnings: [],
    infos: [],
  },
  {
    advertise: ['notify-batch', 'search'],
    warnings: [{ versions: '<2.5 || ^3', message: 'Please update Composer.' }],
    infos: [{ message: 'Hello.', versions: '*' }],
  },
  {
    sources: [
      'packages',
      '../more',
      'git:lib.git',
      'https://git.example.org/a.git',
      'git@git.example.org:acme/a.git',
      'artifact:zips',
    ],
  },
  {
    sources: [
      { type: 'composer', url: 'https://repo.example.org' },
      {
        type: 'composer',
        url: 'http://127.0.0.1:8080/packages.json',
        only: ['tools/*'],
        except: ['tools/x'],
        packages: { 'Tools/One': '^1.0 || dev-main' },
      },
    ],
  },
  folderOf({}),
  folderOf({
    only: ['acme/*', 'Other/Thing'],
    except: ['acme/secret'],
    versions: '^1.2 || dev-main',
    'minimum-stability': 'RC',
  }),
  folderOf({ except: { 'acme/*': '<1.0', '*': 'dev-main' }, versions: { 'acme/hello': '^1', '*': '*' } }),
  git({}),
  git({ tags: ['v1.0'], branches: [] }),
  git({ subdirectories: ['.', 'packages/**', 'a/b/'] }),
  git({
    tags: ['v2.*', '!v2.0.0'],
    branches: ['main', '*.x', '!feature/*'],
    subdirectories: ['packages/*', 'tools/cli'],
    'reference-source': 'include',
    versions: '>=1',
  }),
  {
    sources: [
      { type: 'git', path: '../lib.git', 'reference-source': 'none' },
      { type: 'artifact', path: 'zips', only: ['*'] },
      { type: 'package', packages: inline },
      { type: 'package', packages: [inline, { ...inline, version: '1.1.0' }] },
    ],
  },
];

const bad: readonly (readonly [object, ...string[]])[] = [
  [{ $schema: 5 }, '$schema is 5; allowed: a path or an address.'],
  [{ jobs: '4' }, 'jobs is "4"; allowed: a whole number from 1 to 256.'],
  [
    { jobs: 1.5, limits: { read: '5', write: -1 } },
    'jobs is 1.5; allowed: a whole number from 1 to 256.',
    'limits.read is "5"; allowed: a whole number from 0 (no limit) to 1000000000.',
    'limits.write is -1; allowed: a whole number from 0 (no limit) to 1000000000.',
  ],
  [
    { trustedProxies: '10.0.0.0/8' },
    'trustedProxies is "10.0.0.0/8"; allowed: addresses or CIDR ranges such as 10.0.0.0/8,::1, separated by commas (in libretto.json: a list).',
  ],
  [
    { trustedProxies: ['10.0.0.0/8', ''] },
    'trustedProxies is ["10.0.0.0/8",""]; allowed: addresses or CIDR ranges such as 10.0.0.0/8,::1, separated by commas (in libretto.json: a list).',
  ],
  [
    { listen: 'nowhere', log: 'log/', data: ' ' },
    'data is " "; allowed: a path.',
    'listen is "nowhere"; allowed: HOST:PORT, [IPV6]:PORT, a port alone (0 to 65535), which means 127.0.0.1, or an address, localhost or a host name with a dot alone, which means port 8080.',
    'log is "log/"; allowed: a file name, - for standard output, or none.',
  ],
  [
    { listen: 70_000 },
    'listen is 70000; allowed: HOST:PORT, [IPV6]:PORT, a port alone (0 to 65535), which means 127.0.0.1, or an address, localhost or a host name with a dot alone, which means port 8080.',
  ],
  [
    { listen: '127.0.0.1:65536' },
    'listen is "127.0.0.1:65536"; allowed: HOST:PORT, [IPV6]:PORT, a port alone (0 to 65535), which means 127.0.0.1, or an address, localhost or a host name with a dot alone, which means port 8080.',
  ],
  [
    { redis: 'REDIS://cache' },
    'redis is "REDIS://cache"; allowed: redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], rediss:// for TLS, or redis+sentinel://HOST[:PORT],HOST…/PRIMARY[/DATABASE].',
  ],
  [
    { distUrl: 'HTTPS://h' },
    "distUrl is \"HTTPS://h\"; allowed: 'path', or the registry's own http(s) address without user, query and fragment.",
  ],
  [
    { metadataUrl: '/p2/%package%.json ' },
    'metadataUrl is "/p2/%package%.json "; allowed: a template that starts with / or http(s)://HOST/ and contains %package%, such as /p2/%package%.json.',
  ],
  [{ distShasum: null }, "distShasum is null; allowed: 'always', or 'releases' for all but dev versions."],
  [
    { sources: [{ type: 'git', path: '../lib.git', 'reference-source': 'include' }] },
    'sources[0].reference-source is "include", which requires a url: no client can reach a path on this machine. Use the url of the repository, or remove this field.',
  ],
  [{ sorces: [] }, 'sorces is not a setting; did you mean sources?'],
  [{ jobs: 0 }, 'jobs is 0; allowed: a whole number from 1 to 256.'],
  [{ limits: { raed: 1 } }, 'limits.raed is not a setting; did you mean limits.read?'],
  [{ archive: ['/docs'] }, 'archive must be an object, such as {"exclude": ["/docs"]}.'],
  [
    { archive: { exclude: '/docs' } },
    'archive.exclude is "/docs"; allowed: a list of patterns such as ["/docs", "*.dist"].',
  ],
  [
    { egress: { allow: ['everything', 5] } },
    'egress.allow[0] is "everything"; allowed: an address or CIDR range such as "10.0.0.0/8".',
    'egress.allow[1] is 5; allowed: an address or CIDR range such as "10.0.0.0/8".',
  ],
  [{ name: '' }, 'name is ""; allowed: text.'],
  [{ homepage: 'packages.example.org' }, 'homepage is "packages.example.org"; allowed: an http(s) address.'],
  [
    { abandoned: { old: true, 'acme/old': 1 } },
    'abandoned["old"] is not allowed here; allowed: an object such as {"acme/old": "acme/new", "acme/dead": true}.',
    'abandoned["acme/old"] is 1; allowed: true, false, or the name or address of the replacement.',
  ],
  [
    { advertise: 'search' },
    'advertise is "search"; allowed: any of search, list, providers-api, notify-batch, separated by commas, or none (in libretto.json: a list).',
  ],
  [
    { advertise: ['everything'] },
    'advertise is ["everything"]; allowed: any of search, list, providers-api, notify-batch, separated by commas, or none (in libretto.json: a list).',
  ],
  [
    { warnings: 'x', infos: [{ versions: '*' }, 'x', { versions: '*', message: 'x', mesage: 1 }] },
    'warnings is "x"; allowed: a list of at most 20 objects such as [{"versions": "<2.5", "message": "Please update Composer."}].',
    'infos[0] has no message.',
    'infos[1] is "x"; allowed: an object such as {"versions": "<2.5", "message": "Please update Composer."}.',
    'infos[2].mesage is not a field of a notice; did you mean message?',
  ],
  [{ sources: 'packages' }, 'sources is "packages"; allowed: a list of paths, git URLs, and objects with options.'],
  [
    { sources: ['', 5] },
    'sources[0] is ""; allowed: a path or a git URL.',
    'sources[1] is 5; allowed: a path or URL, or an object such as {"type": "git", "url": "https://…"}.',
  ],
  [
    {
      sources: [
        { type: 'composer', url: 'repo.example.org' },
        { type: 'composer', url: 'https://repo.example.org', versions: '^1', packages: { 'tools/*': '*' } },
      ],
    },
    'sources[0].url is "repo.example.org"; allowed: the https:// address of a Composer repository, or of its packages.json.',
    'sources[1].versions is a field of directory, git, artifact or package sources; this one is of type composer.',
    'sources[1].packages["tools/*"] is not allowed here; allowed: an object such as {"acme/hello": "^1.0"}.',
  ],
  [
    { sources: [{ path: 'x' }, { type: 'gti', path: 'x' }, { type: 'vcs' }] },
    'sources[0] has no type; allowed: directory, git, artifact, package or composer.',
    'sources[1].type is "gti"; allowed: directory, git, artifact, package or composer; did you mean git?',
    'sources[2].type is "vcs", the name in Composer; the name here is "git".',
  ],
  [
    { sources: [{ type: 'directory' }, { type: 'git' }, { type: 'git', path: 'x', url: 'https://h/x' }] },
    'sources[0] needs path.',
    'sources[1] needs path or url.',
    'sources[2] needs only one of path or url.',
  ],
  [folderOf({ onyl: ['acme/*'] }), 'sources[0].onyl is not a field of a source; did you mean only?'],
  [
    folderOf({ tags: ['v1'], url: 'https://h/x' }),
    'sources[0].tags is a field of git sources; this one is of type directory.',
    'sources[0].url is a field of git or composer sources; this one is of type directory.',
  ],
  [folderOf({ path: 'https://h/x' }), 'sources[0].path is "https://h/x"; allowed: a path, relative to this file.'],
  [
    folderOf({ only: [], except: ['acme'], versions: {}, 'minimum-stability': 'stabel' }),
    'sources[0].only is []; allowed: a list of package names or patterns such as ["acme/*"].',
    'sources[0].except[0] is "acme"; allowed: a package name such as "acme/hello", or a pattern such as "acme/*".',
    'sources[0].minimum-stability is "stabel"; allowed: dev, alpha, beta, RC or stable; did you mean stable?',
  ],
  [folderOf({ versions: ['^1'] }), 'sources[0].versions is ["^1"]; allowed: an object such as {"acme/hello": "^1.0"}.'],
  [
    git({ 'reference-source': true, tags: 'v1', branches: ['a b'], subdirectories: ['/packages', '../x'] }),
    'sources[0].reference-source is true; allowed: none or include.',
    'sources[0].tags is "v1"; allowed: a list of tags or patterns such as ["v2.*"].',
    'sources[0].branches[0] is "a b"; allowed: a name or a pattern such as "v2.*"; a leading ! excludes.',
    'sources[0].subdirectories[0] is "/packages"; allowed: a folder inside the repository, or a pattern such as "packages/*".',
    'sources[0].subdirectories[1] is "../x"; allowed: a folder inside the repository, or a pattern such as "packages/*".',
  ],
  [
    git({ url: '../lib.git' }),
    'sources[0].url is "../lib.git"; allowed: https://HOST/PATH, ssh://USER@HOST/PATH or USER@HOST:PATH; for a repository on this machine, use "path" in libretto.json.',
  ],
  [
    {
      sources: [
        { type: 'package', packages: [{ name: 'acme/tool' }] },
        { type: 'package', packages: [] },
      ],
    },
    'sources[0].packages[0] is {"name":"acme/tool"}; allowed: a composer.json with name, version and dist, as in a Composer repository of type package.',
    'sources[1].packages is []; allowed: a list of packages.',
  ],
];

/** Configurations that the program refuses and a schema accepts. */
const beyondSchema: readonly (readonly [object, string])[] = [
  [{ listen: '[1:2]:80' }, 'listen is "[1:2]:80"; allowed: HOST:PORT'],
  [{ trustedProxies: ['10.0.0.0/99'] }, 'trustedProxies is ["10.0.0.0/99"]; allowed:'],
  [
    folderOf({ versions: '^^1', except: { 'acme/*': 'one' } }),
    'sources[0].versions is not a valid version constraint: "^^1" is neither a version nor a range Composer understands.',
  ],
  [git({ url: 'https://me:hunter2@git.example.org/a.git' }), 'sources[0].url cannot be used: The URL https://'],
  [
    { warnings: [{ versions: 'newest', message: 'x' }] },
    'warnings[0].versions is "newest"; allowed: a constraint for the version of Composer',
  ],
  [{ infos: [{ versions: '*', message: 'x'.repeat(501) }] }, 'infos[0].message is "xxx'],
  [
    git({ url: 'http://git.example.org/a.git' }),
    'sources[0].url cannot be used: The URL http://git.example.org/a.git would be fetched without encryption.',
  ],
  [{ sources: ['ftp://h/x', 'dir:https://h/x'] }, 'sources[0] cannot be used: Source ftp://h/x: only https://'],
];

describe('docs/libretto.schema.json', () => {
  it('equals the schema of the program', async () => {
    await expect(`${JSON.stringify(configSchema(), null, 2)}\n`).toMatchFileSnapshot(
      `${root}docs/libretto.schema.json`,
    );
  });

  it.each(good.map((config) => [JSON.stringify(config), config] as const))(
    'accepts %s, as the program does',
    async (_, config) => {
      bySchema(config);
      expect({ schema: bySchema.errors, program: await byProgram(config) }).toEqual({ schema: null, program: [] });
    },
  );

  it.each(bad.map(([config, ...problems]) => [JSON.stringify(config), config, problems] as const))(
    'refuses %s, as the program does',
    async (_, config, problems) => {
      expect({ schema: bySchema(config), program: await byProgram(config) }).toEqual({
        schema: false,
        program: problems,
      });
    },
  );

  it.each(
    beyondSchema.map(([config, problem]) => [JSON.stringify(config).replace('hunter2', '…'), config, problem] as const),
  )('accepts %s, which only the program refuses', async (_, config, problem) => {
    const program = (await byProgram(config)).join('\n');
    expect({ schema: bySchema(config), program }).toEqual({
      schema: true,
      program: expect.stringContaining(problem) as string,
    });
    expect(program).not.toContain('hunter2');
  });
});

describe('a libretto.json with ten mistakes', () => {
  it('is reported with all of them at once', async () => {
    const config = {
      nme: 'x',
      jobs: 'many',
      listen: true,
      limits: 5,
      sources: [{ type: 'git' }, 7, { type: 'directory', path: 'p', only: [1], tag: [] }],
      abandoned: [],
      archive: { exclude: [''] },
    };
    expect(await byProgram(config)).toHaveLength(10);
  });
});
