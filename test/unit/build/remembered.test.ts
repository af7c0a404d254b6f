// A tree remembers its sources (decision 6).
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PublishedSource } from '../../../build/contract/publication.ts';
import { chooseSources, type SourceRequest } from '../../../build/sources/remembered.ts';
import { parseSource, withoutCredentials } from '../../../build/sources/spec.ts';
import { BuildRefused } from '../../../build/refusals.ts';

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
const choose = (request: Partial<SourceRequest>, sources: readonly PublishedSource[] = []): { read: string[]; left: string[]; forgotten: string[] } => {
  const choice = chooseSources({ arguments: [], baseDirectory: base, configured: undefined, fallback: undefined, forget: [], ...request }, sources, data);
  return { read: choice.read.map(({ spec }) => spec.location), left: choice.left.map(({ spec }) => spec.location), forgotten: choice.forgotten.map(({ location }) => location) };
};

describe('parseSource', () => {
  it('takes a work tree for git, a plain folder for packages, and a prefix at its word', () => {
    expect(parseSource('./work', base, data)).toMatchObject({ location: 'git:../work', place: { kind: 'git' } });
    expect(parseSource('./packages', base, data)).toMatchObject({ location: 'dir:../packages', place: { kind: 'directory' } });
    expect(parseSource('dir:work', base, data)).toMatchObject({ location: 'dir:../work', place: { kind: 'directory' } });
    expect(parseSource('git@host.example:team/lib.git', base, data)).toMatchObject({ place: { kind: 'git', url: 'git@host.example:team/lib.git' } });
  });

  it('refuses credentials and transports that run things, without repeating the password', () => {
    for (const url of ['https://me:secret@host/lib.git', 'https://secret@host/lib.git', 'ssh://me:secret@host/lib.git', 'ext::sh -c secret@host', 'file:///secret@x']) {
      expect(() => parseSource(url, base, data)).toThrow(BuildRefused);
    }
    expect(() => parseSource('https://me:secret@host/lib.git', base, data)).not.toThrow(/secret/);
    expect(withoutCredentials('https://me:secret@host/x')).toBe('https://***@host/x');
  });
});

describe('chooseSources', () => {
  it('reads what is named and leaves the rest as published', () => {
    expect(choose({ arguments: ['./b'] }, [remembered('./a')])).toEqual({ read: ['dir:../b'], left: ['dir:../a'], forgotten: [] });
  });

  it('reads the remembered ones and those of the configuration without arguments', () => {
    expect(choose({ configured: ['./c'] }, [remembered('./a')])).toEqual({ read: ['dir:../a', 'dir:../c'], left: [], forgotten: [] });
  });

  it('forgets what left the configuration, but not when there is no configuration to compare with', () => {
    const sources = [remembered('./a'), remembered('./c', 'configuration')];
    expect(choose({ configured: [] }, sources)).toEqual({ read: ['dir:../a'], left: [], forgotten: ['dir:../c'] });
    expect(choose({}, sources).forgotten).toEqual([]);
  });

  it('forgets by path, location or id, and says what there is when it cannot', () => {
    const source = remembered('./a');
    for (const text of ['./a', 'dir:./a', source.location, source.id]) expect(choose({ forget: [text] }, [source])).toEqual({ read: [], left: [], forgotten: ['dir:../a'] });
    expect(() => choose({ forget: ['./typo'] }, [source])).toThrow('It remembers: dir:../a');
  });

  it('forgets a git repository whose folder is gone', () => {
    const source: PublishedSource = { ...remembered('git:./gone'), from: 'argument' };
    expect(choose({ forget: ['./gone'] }, [source]).forgotten).toEqual(['git:../gone']);
  });

  it('falls back to packages-src only in an empty tree, and refuses to build nothing', () => {
    expect(choose({ fallback: 'packages-src' }).read).toEqual(['dir:../packages-src']);
    expect(choose({ fallback: 'packages-src' }, [remembered('./a')]).read).toEqual(['dir:../a']);
    expect(() => choose({})).toThrow('nothing to build');
  });
});
