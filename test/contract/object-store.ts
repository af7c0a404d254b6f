// Rules for every store behind the port. object-store.test.ts runs them on each dialect, and on a store of others.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ObjectStore, Precondition, PutOutcome } from '../../build/store/object-store.ts';
import { digestOf } from '../../build/shared/text/digest-of.ts';
import { incompressibleBytes } from '../util/incompressible-bytes.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

export interface OpenedStore {
  readonly store: ObjectStore;
  /** the size of a body from which on the store gets it in parts */
  readonly multipartAbove: number;
  readonly close: () => Promise<void>;
}

export interface StoreTraits {
  /** of a replacement of an object that is not there; undefined: it knows no conditions */
  readonly swapOnMissing: 'refused' | 'written' | undefined;
  /** Its lists are in order, copies have encoded sources, ETags tell of parts. */
  readonly isExact: boolean;
}

export const putHeaders = { contentType: 'application/json', cacheControl: 'private, no-cache' };

/** Keys whose letters are encoded in a URL, or have a meaning in one. */
export const awkwardKeys = [
  'dist/acme/a b/1.0.0+build@ref.zip',
  'a+b',
  'a b',
  '~tilde/-_.',
  "quotes'()!*",
  '100%/%41/%2F',
  'ümläut/日本/🎼',
  'x=1&y=2?z#h',
  'semi;colon,comma:colon$dollar|pipe^[]{}`"<>\\',
  'trailing.',
  '...',
];

/** Puts a text. */
export function putText(store: ObjectStore, key: string, text: string, condition?: Precondition): Promise<PutOutcome> {
  const bytes = Buffer.from(text);
  return store.put(key, { bytes, sha256: digestOf(bytes) }, putHeaders, condition);
}

export async function keysOf(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}

/** `open` gives an empty store. */
export function describeObjectStore(name: string, open: () => Promise<OpenedStore>, traits: StoreTraits): void {
  describe(`object store: ${name}`, () => {
    let opened: OpenedStore;
    let store: ObjectStore;
    let folder: TemporaryFolder;

    beforeEach(async () => {
      folder = temporaryFolder('store');
      opened = await open();
      ({ store } = opened);
    });

    afterEach(async () => {
      store.close();
      await opened.close();
      await folder.remove();
    });

    const textOf = async (key: string): Promise<string | undefined> => (await store.get(key, 1000))?.bytes.toString();

    it('returns what was stored, with its ETag, size and digest', async () => {
      const put = await putText(store, 'index/_head.json', '{"serial":1}');
      const found = await store.get('index/_head.json', 12);
      expect(found?.bytes.toString()).toBe('{"serial":1}');
      expect(put).toEqual({ outcome: 'written', etag: found?.etag });
      const sha256 = digestOf('{"serial":1}');
      expect(await store.head('index/_head.json')).toEqual({
        key: 'index/_head.json',
        size: 12,
        sha256,
        etag: found?.etag,
      });
    });

    it('says of a missing object that there is none', async () => {
      expect(await store.get('none', 10)).toBeUndefined();
      expect(await store.getIfChanged('none', '"x"', 10)).toBeUndefined();
      expect(await store.head('none')).toBeUndefined();
      expect(await store.copy('none', 'other')).toBe(false);
      expect(await store.download('none', folder.at('target'), { size: 1, sha256: digestOf('x') })).toBe(false);
      expect(existsSync(folder.at('target'))).toBe(false);
    });

    it('refuses to read more than the caller wants', async () => {
      await putText(store, 'large', 'x'.repeat(11));
      await expect(store.get('large', 10)).rejects.toMatchObject({ kind: 'damaged' });
      expect((await store.get('large', 11))?.bytes).toHaveLength(11);
    });

    it('says that an object is the same, until it is replaced', async () => {
      await putText(store, 'a', 'one');
      const first = await store.getIfChanged('a', undefined, 10);
      const etag = typeof first === 'object' ? first.etag : '';
      expect(await store.getIfChanged('a', etag, 10)).toBe('same');
      await putText(store, 'a', 'two');
      expect(await store.getIfChanged('a', etag, 10)).toMatchObject({ bytes: Buffer.from('two') });
    });

    it('takes keys with every kind of letter, and lists them unchanged', async () => {
      for (const key of awkwardKeys) await putText(store, `k/${key}`, key);
      for (const key of awkwardKeys) expect(await textOf(`k/${key}`)).toBe(key);
      expect((await keysOf(store, 'k/')).sort()).toEqual(awkwardKeys.map((key) => `k/${key}`).sort());
      for (const key of traits.isExact ? awkwardKeys : []) {
        expect(await store.copy(`k/${key}`, 'k/copy')).toBe(true);
        expect(await textOf('k/copy')).toBe(key);
      }
      await store.remove([...awkwardKeys, 'copy'].map((key) => `k/${key}`));
      expect(await keysOf(store, '')).toEqual([]);
    });

    it('stores empty objects, from memory and from a file', async () => {
      writeFileSync(folder.at('empty'), '');
      await putText(store, 'memory', '');
      await store.put('file', { file: folder.at('empty'), size: 0, sha256: digestOf('') }, putHeaders);
      expect([await textOf('memory'), await textOf('file')]).toEqual(['', '']);
      expect(await store.head('file')).toMatchObject({ size: 0, sha256: digestOf('') });
    });

    it('streams a file up, in parts above the limit, and down again', async () => {
      for (const size of [opened.multipartAbove, opened.multipartAbove * 3 + 1]) {
        const bytes = incompressibleBytes(size);
        const [file, sha256] = [folder.at(`up-${size}`), digestOf(bytes)];
        writeFileSync(file, bytes);
        await store.put(`file-${size}`, { file, size, sha256 }, putHeaders);
        await store.put(`bytes-${size}`, { bytes, sha256 }, putHeaders);
        for (const key of [`file-${size}`, `bytes-${size}`]) {
          const head = await store.head(key);
          expect(head).toMatchObject({ size, sha256 });
          if (traits.isExact) expect(head?.etag.includes('-')).toBe(size > opened.multipartAbove);
          for (const target of [undefined, folder.at(key)])
            expect(await store.download(key, target, { size, sha256 })).toBe(true);
          expect(readFileSync(folder.at(key)).equals(bytes)).toBe(true);
        }
      }
    });

    it('keeps no download that is not the expected one, and overwrites no file', async () => {
      await putText(store, 'a', 'right');
      const target = folder.at('target');
      for (const text of ['other', 'righ', 'longer'])
        await expect(store.download('a', target, { size: text.length, sha256: digestOf(text) })).rejects.toMatchObject({
          kind: 'damaged',
        });
      expect(existsSync(target)).toBe(false);
      writeFileSync(target, 'mine');
      await expect(store.download('a', target, { size: 5, sha256: digestOf('right') })).rejects.toThrow('EEXIST');
      expect(readFileSync(target, 'utf8')).toBe('mine');
    });

    it('copies an object with its digest, and removes present and missing ones', async () => {
      await putText(store, 'a', 'text');
      expect(await store.copy('a', 'b')).toBe(true);
      expect(await store.head('b')).toMatchObject({ size: 4, sha256: digestOf('text') });
      await store.remove(['a', 'never there']);
      expect([await textOf('a'), await textOf('b')]).toEqual([undefined, 'text']);
    });

    it('lists what starts with a text, in order', async () => {
      for (const key of ['p2/b', 'p2/a', 'p2/a-b', 'p3', 'p2/c/d']) await putText(store, key, key);
      const found = await keysOf(store, 'p2/');
      expect(traits.isExact ? found : found.sort()).toEqual(['p2/a', 'p2/a-b', 'p2/b', 'p2/c/d']);
      expect((await keysOf(store, 'p2/a')).sort()).toEqual(['p2/a', 'p2/a-b']);
      expect(await keysOf(store, 'p4')).toEqual([]);
      for await (const facts of store.list('p3'))
        expect(facts).toMatchObject({ key: 'p3', size: 2, etag: expect.any(String) });
    });

    it('gives an address that anybody can GET for a while', async () => {
      await putText(store, awkwardKeys[0]!, 'text');
      const answer = await fetch(await store.presign(awkwardKeys[0]!, 60));
      expect([answer.status, await answer.text()]).toEqual([200, 'text']);
    });

    if (traits.swapOnMissing !== undefined) describeConditions(() => opened, traits);
  });
}

function describeConditions(open: () => OpenedStore, { swapOnMissing }: StoreTraits): void {
  it('creates an object only if there is none', async () => {
    const { store } = open();
    expect(await putText(store, 'a', 'first', 'absent')).toMatchObject({ outcome: 'written' });
    expect(await putText(store, 'a', 'second', 'absent')).toEqual({ outcome: 'refused' });
    expect((await store.get('a', 10))?.bytes.toString()).toBe('first');
  });

  it('replaces only the object that was read', async () => {
    const { store } = open();
    const first = await putText(store, 'a', 'first');
    const etag = first.outcome === 'written' ? first.etag : '';
    expect(await putText(store, 'a', 'second', { etag })).toMatchObject({ outcome: 'written' });
    expect(await putText(store, 'a', 'third', { etag })).toEqual({ outcome: 'refused' });
    expect((await store.get('a', 10))?.bytes.toString()).toBe('second');
  });

  it(`has a replacement of a missing object ${swapOnMissing}`, async () => {
    const { store } = open();
    expect(await putText(store, 'a', 'text', { etag: '"0"' })).toMatchObject({ outcome: swapOnMissing });
  });

  it('lets exactly one of eight writers create an object, and replace it', async () => {
    const { store } = open();
    const race = async (condition: Precondition): Promise<void> => {
      const texts = Array.from({ length: 8 }, (_, at) => `${at} ${JSON.stringify(condition)}`);
      const outcomes = await Promise.all(texts.map((text) => putText(store, 'a', text, condition)));
      const winners = texts.filter((_, at) => outcomes[at]?.outcome === 'written');
      expect(winners).toEqual([(await store.get('a', 100))?.bytes.toString()]);
    };
    await race('absent');
    await race({ etag: (await store.head('a'))?.etag ?? '' });
  });

  it('checks the condition of an object in parts when it is complete', async () => {
    const { store, multipartAbove } = open();
    const bytes = incompressibleBytes(multipartAbove + 1);
    const put = (condition: Precondition): Promise<PutOutcome> =>
      store.put('a', { bytes, sha256: digestOf(bytes) }, putHeaders, condition);
    const first = await put('absent');
    expect(first).toMatchObject({ outcome: 'written' });
    expect(await put('absent')).toEqual({ outcome: 'refused' });
    expect(await put({ etag: '"0"' })).toEqual({ outcome: 'refused' });
    expect(await put({ etag: first.outcome === 'written' ? first.etag : '' })).toMatchObject({ outcome: 'written' });
  });
}
