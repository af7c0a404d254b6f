// What the builder is asked for: sources of libretto.json are relative to that file, those of the command line to the working directory.

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { buildRequest } from '../../../cli/build-request.ts';
import { loadConfig } from '../../../cli/config.ts';
import { temporaryFolder, type TemporaryFolder } from '../../util/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(() => void (folder = temporaryFolder('request')));
afterEach(() => folder.remove());

const request = (flags: Record<string, unknown> = {}, environment: Record<string, string> = {}) =>
  buildRequest(loadConfig({ flags, environment, workingDirectory: folder.path }), { sources: ['./a'], forget: [], strict: false, allowRepublish: false, workingDirectory: folder.path });

describe('a build request', () => {
  it('anchors the paths of libretto.json at that file, and leaves URLs alone', () => {
    mkdirSync(folder.at('etc'));
    const sources = ['../packages', 'git:../lib.git', 'dir:/srv/p', 'https://git.example.org/a.git', 'git:https://h/a', 'git@h:acme/a.git', 'git://h/a', 'ext::sh -c x'];
    writeFileSync(folder.at('etc/libretto.json'), JSON.stringify({ sources }));
    expect(request({ config: 'etc/libretto.json' }).configured).toEqual([
      folder.at('packages'),
      `git:${folder.at('lib.git')}`,
      'dir:/srv/p',
      ...sources.slice(3),
    ]);
  });

  it('tells no configuration file from one that names no source any more', () => {
    expect(request().configured).toBeUndefined();
    writeFileSync(folder.at('libretto.json'), '{}');
    expect(request().configured).toEqual([]);
  });

  it('falls back on packages-src where there is one', () => {
    expect(request().fallback).toBeUndefined();
    mkdirSync(folder.at('packages-src'));
    expect(request().fallback).toBe(folder.at('packages-src'));
  });

  it('passes the address of archives on', () => {
    expect(request().distBaseUrl).toBeUndefined();
    expect(request({}, { LIBRETTO_DIST_URL: 'https://p.example.org/' }).distBaseUrl).toBe('https://p.example.org');
  });
});
