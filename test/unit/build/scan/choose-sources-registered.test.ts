// Tests registered repositories among the sources of a build: a build reads them, leaves them or withdraws them.

import { describe, expect, it } from 'vitest';
import type { PublishedSource } from '../../../../build/contract/publication.ts';
import { BuildRefused } from '../../../../build/contract/refusals.ts';
import type { RegisteredSource } from '../../../../build/sources/options.ts';
import { chooseSources } from '../../../../build/scan/choose-sources.ts';
import type { SourceRequest } from '../../../../build/scan/source-settings.ts';
import { parseSource } from '../../../../build/sources/spec.ts';

const data = '/srv/libretto';
const place = (name: string): string => `git:https://git.example.org/${name}.git`;
const published = (name: string, from: PublishedSource['from'] = 'registered'): PublishedSource => ({
  id: parseSource(place(name), data, data).id,
  location: place(name),
  from,
});
const registered = (name: string, more: Partial<RegisteredSource> = {}): RegisteredSource => ({
  id: `repo_${name}`,
  source: place(name),
  options: {},
  environment: { HOME: name },
  ...more,
});

function choose(request: Partial<SourceRequest>, remembered: readonly PublishedSource[] = []) {
  const choice = chooseSources(
    { arguments: [], baseDirectory: data, configured: undefined, fallback: undefined, forget: [], ...request },
    remembered,
    data,
  );
  const names = (list: readonly { readonly spec: { readonly location: string } }[]): string[] =>
    list.map(({ spec }) => spec.location.replace(/^.*\/|\.git$/g, ''));
  return {
    ...choice,
    read: names(choice.read),
    left: names(choice.left),
    forgotten: choice.forgotten.map(({ location }) => location.replace(/^.*\/|\.git$/g, '')),
    chosen: choice.read,
  };
}

describe('registered repositories', () => {
  it('a build of everything reads registered repositories, each with its own environment of git', () => {
    const { read, chosen } = choose(
      { registered: [registered('a'), registered('b', { options: { only: ['acme/*'] } })] },
      [published('a'), published('c', 'argument')],
    );
    expect(read.toSorted()).toEqual(['a', 'b', 'c']);
    expect(chosen.find(({ spec }) => spec.location === place('b'))).toMatchObject({
      from: 'registered',
      hasOptions: true,
      options: { only: ['acme/*'] },
      access: { environment: { HOME: 'b' } },
    });
  });

  it('a repository can be synced alone: all other packages stay, those of libretto.json too', () => {
    const { read, left, forgotten, notices } = choose(
      { registered: [registered('a'), registered('b')], sync: ['repo_a'] },
      [published('b'), published('c', 'argument'), published('d', 'configuration')],
    );
    expect([read, left.toSorted(), forgotten, notices]).toEqual([['a'], ['b', 'c', 'd'], [], []]);
  });

  it('a repository that is no longer registered is withdrawn by the next build of any kind', () => {
    expect(choose({ registered: [], sync: [] }, [published('a'), published('c', 'argument')])).toMatchObject({
      read: [],
      left: ['c'],
      forgotten: ['a'],
    });
    expect(choose({ registered: [registered('b')] }, [published('a')])).toMatchObject({
      read: ['b'],
      forgotten: ['a'],
    });
    expect(choose({ registered: [registered('b')], only: ['acme/*'] }, [published('a')]).forgotten).toEqual([]);
  });

  it('registered repositories stay as published in a build without the list of repositories', () => {
    const { read, left, forgotten, notices } = choose({ configured: [] }, [published('a'), published('c', 'argument')]);
    expect([read, left, forgotten]).toEqual([['c'], ['a'], []]);
    expect(notices.map(({ message }) => message)).toEqual([expect.stringContaining('registered repository')]);
  });

  it('a repository that libretto.json lists too belongs to libretto.json', () => {
    const both = { registered: [registered('a')], configured: [place('a')] };
    const { read, chosen, forgotten, notices } = choose(both, [published('a')]);
    expect([read, chosen[0]?.from, forgotten, notices.length]).toEqual([['a'], 'configuration', [], 1]);
    expect(() =>
      choose({ registered: [registered('a')], sync: ['repo_a'] }, [published('a', 'configuration')]),
    ).toThrow(/is also in libretto\.json/);
    expect(choose({ registered: [registered('a')], configured: [] }, [published('a', 'configuration')])).toMatchObject({
      read: ['a'],
      forgotten: [],
    });
  });

  it('registered repositories cannot be named or forgotten like other sources', () => {
    for (const request of [{ arguments: [place('a')] }, { forget: [place('a')] }]) {
      expect(() => choose(request, [published('a')])).toThrow(BuildRefused);
      expect(() => choose(request, [published('a')])).toThrow(/libretto repository/);
    }
  });
});
