// Tests the sources of a build: the named, configured and remembered ones (decision D6).
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PublishedSource } from '../../../../build/contract/publication.ts';
import { chooseSources } from '../../../../build/scan/choose-sources.ts';
import type { SourceRequest } from '../../../../build/scan/source-settings.ts';
import type { ConfiguredSource } from '../../../../build/sources/options.ts';
import { anchorSource, parseSource, sourceRefusal } from '../../../../build/sources/spec.ts';
import { BuildRefused } from '../../../../build/contract/refusals.ts';

let base: string;
let data: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'libretto-sources-'));
  data = join(base, 'var');
  mkdirSync(join(base, 'work', '.git'), { recursive: true });
  for (const folder of ['objects', 'refs']) mkdirSync(join(base, 'bare.git', folder), { recursive: true });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const remembered = (text: string, from: PublishedSource['from'] = 'argument'): PublishedSource => {
  const { id, location } = parseSource(text, base, data);
  return { id, location, from };
};
const choose = (
  request: Partial<SourceRequest>,
  sources: readonly PublishedSource[] = [],
): { read: string[]; left: string[]; forgotten: string[] } => {
  const choice = chooseSources(
    { arguments: [], baseDirectory: base, configured: undefined, fallback: undefined, forget: [], ...request },
    sources,
    data,
  );
  return {
    read: choice.read.map(({ spec }) => spec.location),
    left: choice.left.map(({ spec }) => spec.location),
    forgotten: choice.forgotten.map(({ location }) => location),
  };
};

describe('parseSource', () => {
  it('parseSource takes a work tree for git and a plain folder for packages, and obeys a prefix', () => {
    expect(parseSource('./work', base, data)).toMatchObject({ location: 'git:../work', place: { kind: 'git' } });
    expect(parseSource('./packages', base, data)).toMatchObject({
      location: 'dir:../packages',
      place: { kind: 'directory' },
    });
    expect(parseSource('dir:work', base, data)).toMatchObject({
      location: 'dir:../work',
      place: { kind: 'directory' },
    });
    expect(parseSource('git@host.example:team/lib.git', base, data)).toMatchObject({
      place: { kind: 'git', url: 'git@host.example:team/lib.git' },
    });
  });

  it('the prefix artifact: means a folder of ZIPs, and package: is referred to libretto.json', () => {
    expect(parseSource('artifact:zips', base, data)).toMatchObject({
      location: 'artifact:../zips',
      place: { kind: 'artifact', path: join(base, 'zips') },
    });
    expect(() => parseSource('artifact:https://host/x', base, data)).toThrow('Leave the artifact: prefix out');
    expect(() => parseSource('package:acme/tool', base, data)).toThrow(
      'into libretto.json, as a source of type package',
    );
  });

  it('credentials and transports that run programs are refused, and the message hides the password', () => {
    for (const url of [
      'https://me:secret@host/lib.git',
      'https://secret@host/lib.git',
      'ssh://me:secret@host/lib.git',
      'ext::sh -c secret@host',
    ]) {
      expect(() => parseSource(url, base, data)).toThrow(BuildRefused);
    }
    expect(() => parseSource('https://me:secret@host/lib.git', base, data)).not.toThrow(/secret/);
  });

  it.each([
    'me:secret@host:lib.git',
    'git:me:secret@host:lib.git',
    'me:sec/secret@host:lib.git',
    'me:secret@host/lib.git',
    'git+ssh://me:secret@host/lib.git',
    'https://me:a secret@host/lib.git',
    ' https://me:secret@host/lib.git',
    'https://host/lib.git?token=secret',
    'dir:https://me:secret@host/lib',
    'package:https://me:secret@host/lib',
  ])('the malformed address %s is not taken for a folder, and its password is not repeated', (text) => {
    expect(sourceRefusal(text)).toEqual(expect.not.stringContaining('secret'));
    expect(() => parseSource(text, base, data)).toThrow(BuildRefused);
  });

  it('an address is read as git reads it, and a folder of its name is meant if there is one', () => {
    expect(parseSource('alias:team/lib.git', base, data)).toMatchObject({ location: 'git:alias:team/lib.git' });
    expect(parseSource('git:git@[2001:db8::1]:lib', base, data)).toMatchObject({
      location: 'git:git@[2001:db8::1]:lib',
    });
    expect(parseSource('git+ssh://git@host.example/lib', base, data)).toMatchObject({
      location: 'git:ssh://git@host.example/lib',
    });
    expect(parseSource('git:file:///srv/lib', base, data)).toMatchObject({ place: { kind: 'git', path: '/srv/lib' } });
    mkdirSync(join(base, 'alias:other/lib.git'), { recursive: true });
    expect(parseSource('alias:other/lib.git', base, data)).toMatchObject({ location: 'dir:../alias:other/lib.git' });
    expect(parseSource('artifact:alias:zips', base, data)).toMatchObject({ location: 'artifact:../alias:zips' });
    expect(anchorSource('git:alias:other/lib.git', base)).toBe(`git:${join(base, 'alias:other/lib.git')}`);
    expect(anchorSource('alias:team/lib.git', base)).toBe('alias:team/lib.git');
    for (const text of ['ext::sh -c id', '-oProxyCommand=id:x', 'git@-oProxyCommand=id:x'])
      expect(() => parseSource(text, base, data)).toThrow(BuildRefused);
  });

  it('a folder whose name looks like an address can be given by its path', () => {
    expect(parseSource('./me:x@host:lib', base, data)).toMatchObject({ location: 'dir:../me:x@host:lib' });
  });
});

describe('chooseSources', () => {
  it('named sources are read, and the others stay as published', () => {
    expect(choose({ arguments: ['./b'] }, [remembered('./a')])).toEqual({
      read: ['dir:../b'],
      left: ['dir:../a'],
      forgotten: [],
    });
  });

  it('without arguments, the remembered and the configured sources are read', () => {
    expect(choose({ configured: ['./c'] }, [remembered('./a')])).toEqual({
      read: ['dir:../a', 'dir:../c'],
      left: [],
      forgotten: [],
    });
  });

  it('a source that left the configuration is forgotten, unless the build has no configuration', () => {
    const sources = [remembered('./a'), remembered('./c', 'configuration')];
    expect(choose({ configured: [] }, sources)).toEqual({ read: ['dir:../a'], left: [], forgotten: ['dir:../c'] });
    expect(choose({}, sources).forgotten).toEqual([]);
  });

  it('a source is forgotten by path, location or id; an unknown one is refused with the list of sources', () => {
    const source = remembered('./a');
    for (const text of ['./a', 'dir:./a', source.location, source.id])
      expect(choose({ forget: [text] }, [source])).toEqual({ read: [], left: [], forgotten: ['dir:../a'] });
    expect(() => choose({ forget: ['./typo'] }, [source])).toThrow(`The recorded sources are ${join(base, 'a')}.`);
  });

  it('a git repository whose folder is gone can be forgotten', () => {
    const source: PublishedSource = { ...remembered('git:./gone'), from: 'argument' };
    expect(choose({ forget: ['./gone'] }, [source]).forgotten).toEqual(['git:../gone']);
  });

  it('inline packages are identified by their names, whatever their order and versions', () => {
    const inline = (...packages: readonly [name: string, version: string][]): ConfiguredSource => ({
      source: { packages: packages.map(([name, version]) => ({ name, version })), directory: base, where: 'w' },
      options: {},
      where: 'w',
    });
    const [tool, both, more] = [
      inline(['Acme/Tool', '1.0']),
      inline(['acme/tool', '1.0'], ['acme/other', '1.0']),
      inline(['acme/tool', '2.0']),
    ];
    expect(choose({ configured: [tool, both, more] }).read).toEqual([
      'package:acme/tool',
      'package:acme/tool#2',
      'package:acme/other',
      'package:acme/tool#3',
    ]);
    expect(choose({ configured: [both, tool] }).read).toEqual([
      'package:acme/tool',
      'package:acme/other',
      'package:acme/tool#2',
    ]);
    expect(
      chooseSources(
        { arguments: [], baseDirectory: base, configured: [tool], fallback: undefined, forget: [] },
        [],
        data,
      ).read[0]?.spec.id,
    ).toBe(
      chooseSources(
        {
          arguments: [],
          baseDirectory: base,
          configured: [inline(['acme/tool', '3.0'])],
          fallback: undefined,
          forget: [],
        },
        [],
        data,
      ).read[0]?.spec.id,
    );
  });

  it('an inline package stays the same source when other entries of its list change', () => {
    const packages = (...names: readonly string[]): ConfiguredSource => ({
      source: { packages: names.map((name) => ({ name, version: '1.0' })), directory: base, where: 'w' },
      options: {},
      where: 'w',
    });
    const ids = (...names: readonly string[]): string[] =>
      chooseSources(
        { arguments: [], baseDirectory: base, configured: [packages(...names)], fallback: undefined, forget: [] },
        [],
        data,
      ).read.map(({ spec }) => spec.id);
    const [one, two] = ids('acme/a', 'acme/b');
    expect(ids('acme/new', 'acme/b', 'acme/a').slice(1)).toEqual([two, one]);
  });

  it('a source that only libretto.json can describe stays as published in a build without that file', () => {
    const source: PublishedSource = {
      id: 'package-x',
      location: 'package:acme/tool',
      from: 'configuration',
      options: true,
    };
    expect(choose({}, [remembered('./a'), source])).toEqual({
      read: ['dir:../a'],
      left: ['package:acme/tool'],
      forgotten: [],
    });
    expect(choose({ forget: ['package:acme/tool'] }, [remembered('./a'), source]).forgotten).toEqual([
      'package:acme/tool',
    ]);
  });

  it('packages-src is used only for an empty tree, and a build without sources is refused', () => {
    expect(choose({ fallback: 'packages-src' }).read).toEqual(['dir:../packages-src']);
    expect(choose({ fallback: 'packages-src' }, [remembered('./a')]).read).toEqual(['dir:../a']);
    expect(() => choose({})).toThrow('nothing to build');
  });
});
