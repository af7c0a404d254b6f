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
  buildRequest(
    await loadConfig({ flags, environment, workingDirectory: folder.path }),
    { environment, workingDirectory: folder.path, actor: 'cli:test', now: () => new Date() },
    { sources: ['./a'], forget },
  );

describe('a build request', () => {
  it('paths of libretto.json are relative to that file, and URLs stay as they are', async () => {
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

  it('the options of a source and of the registry in libretto.json are passed on', async () => {
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

  it('a missing configuration file differs from one without sources', async () => {
    expect((await request()).configured).toBeUndefined();
    writeFileSync(folder.at('libretto.json'), '{}');
    expect((await request()).configured).toEqual([]);
  });

  it.each([
    ['./packages', '/packages'],
    ['packages/', '/packages'],
    ['dir:../packages', '/packages'],
    ['lib.git', '/lib.git'],
    ['https://git.example.org/a.git', 'https://git.example.org/a.git'],
    ['package:acme/tool', 'package:acme/tool'],
  ])(
    '%s cannot be forgotten while libretto.json lists it, because the next build would read it again',
    async (text, shown) => {
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
        `--forget ${text}: ${shown.startsWith('/') ? folder.at(shown.slice(1)) : shown} is still listed in libretto.json, so the next build would publish it again. Remove it there`,
      );
      await expect(refused).rejects.toBeInstanceOf(UsageError);
    },
  );

  it('a source that libretto.json does not list can be forgotten', async () => {
    writeFileSync(folder.at('libretto.json'), JSON.stringify({ sources: ['packages'] }));
    expect((await request({}, {}, ['./other', 'git:packages', 'ftp://x/y'])).forget).toEqual([
      './other',
      'git:packages',
      'ftp://x/y',
    ]);
  });

  it('packages-src is the fallback where the folder exists', async () => {
    expect((await request()).fallback).toBeUndefined();
    mkdirSync(folder.at('packages-src'));
    expect((await request()).fallback).toBe(folder.at('packages-src'));
  });

  it('the address of archives is passed on', async () => {
    expect((await request()).distBaseUrl).toBeUndefined();
    expect((await request({}, { LIBRETTO_DIST_URL: 'https://p.example.org/' })).distBaseUrl).toBe(
      'https://p.example.org',
    );
  });
});
