// Several builders with working copies of one object store, whose requests meet in a random order. At every request a
// reader of the head finds each document and each archive. At the end the store has the tree of a disk on which the
// same operations ran one after the other, in the order of their publications, with the same outcomes.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { headKey, parseHead, type StoreHead } from '../../build/contract/store-listing.ts';
import type { ObjectStore, OpenableStore } from '../../build/store/object-store.ts';
import type { HostileStore } from './hostile-store.ts';
import { memoryStore } from './memory-store.ts';
import { temporaryTree, type TemporaryTree } from './package-tree.ts';
import { allFiles } from './published-tree.ts';
import { seededRandom } from './seeded-random.ts';
import { gateOf } from './store-hosts/gate.ts';
import { HeadReader } from './store-hosts/head-reader.ts';
import { packageOf, perform, type Place, type StoreOperation } from './store-hosts/operations.ts';

interface Played {
  readonly host: number;
  readonly operation: StoreOperation;
  readonly at: number;
  readonly outcome: string;
  /** the generation that it made; one half more than the generation that it left unchanged */
  readonly place: number;
}

const day = 86_400_000;

/** `open`: the store of a host. */
export interface HostedStore {
  readonly reader: HeadReader;
  readonly open: (host: number) => ObjectStore;
  readonly enter?: (host: number) => void;
  readonly leave?: (host: number) => void;
}

export class StoreHosts {
  readonly #tree: TemporaryTree = temporaryTree();
  readonly #hosted: HostedStore;
  readonly #played: Played[] = [];
  /** by ETag of the head */
  readonly #heads = new Map<string, StoreHead>();
  #clock = Date.UTC(2026, 0, 1);

  constructor(hosted: HostedStore) {
    this.#hosted = hosted;
  }

  /** Plays the operations of each host one after the other, and those of several hosts at once. */
  async play(operations: readonly (readonly StoreOperation[])[]): Promise<void> {
    await Promise.all(operations.map((own, host) => this.#playOn(host, own)));
    for (const host of operations.keys())
      await this.#playOn(host, [{ kind: 'build', edits: [], allowRepublish: false }]);
  }

  /** Repeats everything on a disk. */
  async compare(): Promise<void> {
    for (const { host } of this.#played) this.#tree.delete(`source-${host}`);
    const order = this.#played.toSorted((one, other) => one.place - other.place);
    for (const { host, operation, at, outcome } of order)
      expect(await perform(operation, this.#placeOf(host, at, undefined)), JSON.stringify(order)).toBe(outcome);
    const path = (file: string): string => this.#tree.path('disk/public', file);
    const onDisk = allFiles(path('')).map((file) => [file, sha256(readFileSync(path(file)))]);
    const { reader } = this.#hosted;
    expect(reader.publicFiles()).toEqual(Object.fromEntries(onDisk));
    reader.checkPurged();
  }

  remove(): void {
    this.#tree.remove();
  }

  async #playOn(host: number, operations: readonly StoreOperation[]): Promise<void> {
    this.#hosted.enter?.(host);
    try {
      for (const operation of operations) {
        const store = placed(this.#hosted.open(host), this.#heads);
        const at = (this.#clock += day);
        const outcome = await perform(operation, this.#placeOf(host, at, { open: async () => store }));
        if (operation.kind === 'purge' && outcome.includes('"purged"'))
          this.#hosted.reader.purged.set(`${packageOf(operation.of)} ${operation.version}`, store.place);
        this.#played.push({ host, operation, at, outcome, place: store.place });
      }
    } finally {
      this.#hosted.leave?.(host);
    }
  }

  #placeOf(host: number, at: number, output: OpenableStore | undefined): Place {
    const tree = this.#tree;
    const effects = { now: () => new Date(at), progress: () => undefined, environment: { PATH: process.env['PATH'] } };
    const request = {
      dataDirectory: tree.path(output === undefined ? 'disk' : `host-${host}`),
      baseDirectory: tree.root,
      arguments: [`source-${host}`],
      configured: undefined,
      fallback: undefined,
      forget: [],
      strict: false,
      allowRepublish: false,
      allowWithdraw: true,
      jobs: 1,
      metadataUrl: '/p2/%package%$%hash%.json',
      distBaseUrl: undefined,
      keepHistory: 3,
      output,
    };
    return { host, tree, request, effects, waitMs: 0 };
  }
}

/** Notes which generation an operation has read or made. `heads`: by ETag. */
function placed(store: ObjectStore, heads: Map<string, StoreHead>): ObjectStore & { readonly place: number } {
  let known = 0;
  const own = {
    ...store,
    place: 0.5,
    getIfChanged: async (...given: Parameters<ObjectStore['getIfChanged']>) => {
      const found = await store.getIfChanged(...given);
      if (given[0] !== headKey) return found;
      if (found === 'same') known = heads.get(given[1] ?? '')?.generation ?? known;
      else known = found === undefined ? 0 : parseHead(found.bytes.toString()).generation;
      own.place = known + 0.5;
      return found;
    },
    put: async (...given: Parameters<ObjectStore['put']>) => {
      const done = await store.put(...given);
      const [key, body, , condition] = given;
      if (key !== headKey || done.outcome !== 'written' || !('bytes' in body)) return done;
      const head = parseHead(body.bytes.toString());
      heads.set(done.etag, head);
      const before = typeof condition === 'object' ? heads.get(condition.etag) : undefined;
      // a removal of objects writes the head, and publishes nothing
      if (head.listing !== before?.listing) own.place = head.generation;
      return done;
    },
  };
  return own;
}

/** A store in memory, whose requests pass one at a time. */
export function memoryHosts(seed: number): StoreHosts {
  const store = memoryStore();
  const all = function* all(): Generator<readonly [string, Buffer]> {
    for (const [key, { bytes }] of store.objects) yield [key, bytes];
  };
  const reader = new HeadReader({ at: (key) => store.objects.get(key)?.bytes, all });
  const gate = gateOf(seededRandom(seed));
  return new StoreHosts({ ...gate, reader, open: (host) => gated(store, reader, () => gate.pass(host)) });
}

function gated(store: ObjectStore, reader: HeadReader, pass: () => Promise<void>): ObjectStore {
  const passing =
    <Given extends unknown[], Result>(method: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      await pass();
      const found = await method(...given);
      reader.check();
      return found;
    };
  const { get, getIfChanged, head, put, copy, download, remove } = store;
  const removeOne = passing(remove);
  return {
    ...store,
    get: passing(get),
    getIfChanged: passing(getIfChanged),
    head: passing(head),
    put: passing(put),
    copy: passing(copy),
    download: passing(download),
    remove: async (keys) => {
      for (const key of keys) await removeOne([key]);
    },
  };
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The store of `hostile`, below the prefix `registry`. What a reader misses is thrown by `demandWhole`. */
export function networkReader(hostile: HostileStore): HeadReader & { readonly demandWhole: () => void } {
  const prefix = 'registry/';
  const all = function* all(): Generator<readonly [string, Buffer]> {
    for (const [key, { bytes }] of hostile.objects) if (key.startsWith(prefix)) yield [key.slice(prefix.length), bytes];
  };
  const reader = new HeadReader({ at: (key) => hostile.objects.get(prefix + key)?.bytes, all });
  const faults: unknown[] = [];
  const { fault } = hostile;
  hostile.fault = (request, number) => {
    try {
      reader.check();
    } catch (error) {
      faults.push(error);
    }
    return fault(request, number);
  };
  return Object.assign(reader, {
    demandWhole: () => {
      reader.check();
      if (faults.length > 0) throw faults[0];
    },
  });
}
