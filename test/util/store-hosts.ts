// Several builders with working copies of one object store, whose requests meet in a random order. At every request a
// reader of the head finds each document and each archive. At the end the store has the tree of a disk on which the
// same operations ran one after the other, in the order of their publications, with the same outcomes.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { headKey } from '../../build/contract/store-listing.ts';
import type { ObjectStore, OpenableStore } from '../../build/store/object-store.ts';
import { memoryStore } from './memory-store.ts';
import { temporaryTree, type TemporaryTree } from './package-tree.ts';
import { allFiles } from './published-tree.ts';
import { seededRandom } from './seeded-random.ts';
import { gateOf, type Gate } from './store-hosts/gate.ts';
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

export class StoreHosts {
  readonly #tree: TemporaryTree = temporaryTree();
  readonly #store = memoryStore();
  readonly #reader = new HeadReader(this.#store);
  readonly #played: Played[] = [];
  readonly #gate: Gate;
  #clock = Date.UTC(2026, 0, 1);

  constructor(seed: number) {
    this.#gate = gateOf(seededRandom(seed));
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
    const onDisk = allFiles(path('')).map((file) => [`public/${file}`, sha256(readFileSync(path(file)))]);
    const atStore = [...this.#store.objects].filter(([key]) => key.startsWith('public/'));
    expect(Object.fromEntries(atStore.map(([key, { bytes }]) => [key, sha256(bytes)]))).toEqual(
      Object.fromEntries(onDisk),
    );
    this.#reader.checkPurged();
  }

  remove(): void {
    this.#tree.remove();
  }

  async #playOn(host: number, operations: readonly StoreOperation[]): Promise<void> {
    this.#gate.enter(host);
    try {
      for (const operation of operations) {
        const store = this.#storeOf(host);
        const at = (this.#clock += day);
        const outcome = await perform(operation, this.#placeOf(host, at, { open: async () => store }));
        if (operation.kind === 'purge' && outcome.includes('"purged"'))
          this.#reader.purged.add(`${packageOf(operation.of)} ${operation.version}`);
        this.#played.push({ host, operation, at, outcome, place: store.place });
      }
    } finally {
      this.#gate.leave(host);
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

  #storeOf(host: number): ObjectStore & { readonly place: number } {
    const passing =
      <Given extends unknown[], Result>(method: (...given: Given) => Promise<Result>, note?: (found: Result) => void) =>
      async (...given: Given): Promise<Result> => {
        await this.#gate.pass(host);
        const found = await method(...given);
        this.#reader.check();
        if (given[0] === headKey) note?.(found);
        return found;
      };
    const { get, getIfChanged, head, put, copy, download, remove } = this.#store;
    const removeOne = passing(remove);
    const own = {
      ...this.#store,
      place: 0,
      get: passing(get),
      getIfChanged: passing(getIfChanged, () => (own.place = this.#reader.generation + 0.5)),
      head: passing(head),
      put: passing(put, ({ outcome }) => {
        if (outcome === 'written') own.place = this.#reader.generation;
      }),
      copy: passing(copy),
      download: passing(download),
      remove: async (keys: readonly string[]) => {
        for (const key of keys) await removeOne([key]);
      },
    };
    return own;
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
