// Tests the request to the builder: sources of libretto.json are relative to that file, those of the command line to
// the working directory.

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { buildRequest } from '../../../../cli/builds/build-request.ts';
import { loadConfig } from '../../../../cli/config/config.ts';
import { UsageError } from '../../../../cli/io/usage-error.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../util/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(() => void (folder = temporaryFolder('request')));
afterEach(() => folder.remove());

const request = async (
  flags: Record<string, unknown> = {},
  environment: Record<string, string> = {},
  forget: readonly string[] = [],
) =>
  buildRequest(await loadConfig({ flags, environment, workingDirectory: folder.path }), {
    sources: ['./a'],
    forget,
    strict: false,
    allowRepublish: false,
    workingDirectory: folder.path,
  });

describe('a build request', () => {
  it('anchors the paths of libretto.json at that file, and leaves URLs alone', async () => {
    mkdirSync(folder.at('etc'));
    const sources = [
      '../packages',
      'git:../lib.git',
      'dir:/srv/p',
      'artifact:../zips',
      'https://git.example.org/a.git',
      'git:https://h/a',
      'git@h:acme/a.git',
    ];
    writeFileSync(folder.at('etc/libretto.json'), JSON.stringify({ sources }));
    expect((await request({ config: 'etc/libretto.json' })).configured).toEqual([
      folder.at('packages'),
      `git:${folder.at('lib.git')}`,
      'dir:/srv/p',
      `artifact:${folder.at('zips')}`,
      ...sources.slice(4),
    ]);
  });

  it('hands on what libretto.json says of a source, and of the registry', async () => {
    const inline = { name: 'acme/tool', version: '1.0.0', dist: { type: 'zip', url: 'tool.zip' } };
    const sources = [
      { type: 'git', path: 'lib.git', only: ['acme/*'], except: ['acme/x'], versions: '^1', tags: ['!v0*'] },
      { type: 'directory', path: 'packages' },
      { type: 'package', packages: inline },
    ];
    writeFileSync(
      folder.at('libretto.json'),
      JSON.stringify({
        sources,
        name: 'Acme',
        abandoned: { 'Acme/Old': true },
        archive: { exclude: ['/docs'] },
        egress: { allow: ['10.0.0.0/8'] },
      }),
    );
    expect(await request()).toMatchObject({
      configured: [
        {
          source: `git:${folder.at('lib.git')}`,
          where: 'sources[0]',
          options: { only: ['acme/*'], except: { 'acme/x': '*' }, versions: { '*': '^1' }, tags: ['!v0*'] },
        },
        `dir:${folder.at('packages')}`,
        {
          source: { packages: [inline], directory: folder.path, where: 'libretto.json: sources[2]' },
          where: 'sources[2]',
          options: {},
        },
      ],
      about: { name: 'Acme' },
      abandoned: { 'acme/old': true },
      archiveExcludes: ['/docs'],
      allowedAddresses: ['10.0.0.0/8'],
    });
  });

  it('tells no configuration file from one that names no source any more', async () => {
    expect((await request()).configured).toBeUndefined();
    writeFileSync(folder.at('libretto.json'), '{}');
    expect((await request()).configured).toEqual([]);
  });

  it.each([
    ['./packages', 'dir:../packages'],
    ['packages/', 'dir:../packages'],
    ['dir:../packages', 'dir:../packages'],
    ['lib.git', 'git:../lib.git'],
    ['https://git.example.org/a.git', 'git:https://git.example.org/a.git'],
    ['package:acme/tool', 'package:acme/tool'],
  ])(
    'refuses to forget %s while libretto.json names it: the next build would have it again',
    async (text, location) => {
      const inline = {
        type: 'package',
        packages: { name: 'acme/tool', version: '1.0.0', dist: { type: 'zip', url: 'tool.zip' } },
      };
      writeFileSync(
        folder.at('libretto.json'),
        JSON.stringify({
          sources: ['packages', { type: 'git', path: 'lib.git' }, 'https://git.example.org/a.git', inline],
        }),
      );
      const refused = request({}, {}, [text]);
      await expect(refused).rejects.toThrow(
        `--forget ${text}: ${location} is still listed in libretto.json, so the next build would publish it again. Remove it there`,
      );
      await expect(refused).rejects.toBeInstanceOf(UsageError);
    },
  );

  it('hands on what to forget that libretto.json does not name', async () => {
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ sources: ['packages'] }));
    expect((await request({}, {}, ['./other', 'git:packages', 'ftp://x/y'])).forget).toEqual([
      './other',
      'git:packages',
      'ftp://x/y',
    ]);
  });

  it('falls back on packages-src where there is one', async () => {
    expect((await request()).fallback).toBeUndefined();
    mkdirSync(folder.at('packages-src'));
    expect((await request()).fallback).toBe(folder.at('packages-src'));
  });

  it('passes the address of archives on', async () => {
    expect((await request()).distBaseUrl).toBeUndefined();
    expect((await request({}, { LIBRETTO_DIST_URL: 'https://p.example.org/' })).distBaseUrl).toBe(
      'https://p.example.org',
    );
  });
});
