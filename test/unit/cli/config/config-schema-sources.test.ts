// Tests the sources of libretto.json against its schema and the program.

import { checkConfigs } from '../../../util/config-check.ts';

const git = (fields: object): object => ({
  sources: [{ type: 'git', url: 'https://git.example.org/a.git', ...fields }],
});
const folderOf = (fields: object): object => ({ sources: [{ type: 'directory', path: 'packages', ...fields }] });
const inline = { name: 'acme/tool', version: '1.0.0', dist: { type: 'zip', url: 'https://example.org/tool.zip' } };

checkConfigs({
  accepted: [
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
  ],
  refused: [
    [
      { sources: [{ type: 'git', path: '../lib.git', 'reference-source': 'include' }] },
      'sources[0].reference-source is "include", which requires a url: no client can reach a path on this machine. Use the url of the repository, or remove this field.',
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
      { sources: [{ path: 'x' }, { type: 'gti', path: 'x' }, { type: 'vcs' }, { type: 'constructor' }] },
      'sources[0] has no type; allowed: directory, git, artifact, package or composer.',
      'sources[1].type is "gti"; allowed: directory, git, artifact, package or composer; did you mean git?',
      'sources[2].type is "vcs", the name in Composer; the name here is "git".',
      'sources[3].type is "constructor"; allowed: directory, git, artifact, package or composer.',
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
    [
      folderOf({ versions: ['^1'] }),
      'sources[0].versions is ["^1"]; allowed: an object such as {"acme/hello": "^1.0"}.',
    ],
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
  ],
  onlyProgramRefuses: [
    [
      folderOf({ versions: '^^1', except: { 'acme/*': 'one' } }),
      'sources[0].versions is not a valid version constraint: "^^1" is neither a version nor a range Composer understands.',
    ],
    [git({ url: 'https://me:hunter2@git.example.org/a.git' }), 'sources[0].url cannot be used: The URL https://'],
    [
      git({ url: 'http://git.example.org/a.git' }),
      'sources[0].url cannot be used: The URL http://git.example.org/a.git would be fetched without encryption.',
    ],
    [
      { sources: ['ftp://h/x', 'dir:https://h/x'] },
      'sources[0] cannot be used: The URL ftp://h/x is not valid for a git source',
    ],
  ],
});
