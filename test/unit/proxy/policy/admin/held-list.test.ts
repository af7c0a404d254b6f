// Tests how much a look at held releases reads: after a publication the packages that it changed, and not all.

import { beforeEach, expect, it } from 'vitest';
import { noAdvisories } from '../../../../../build/contract/advisory-lists.ts';
import type { PackageName } from '../../../../../build/contract/name.ts';
import { createMemoryStore } from '../../../../../proxy/core/state/memory-store.ts';
import { createCollector, type CollectorParts } from '../../../../../proxy/notifications/collect/collector.ts';
import { createHeldList } from '../../../../../proxy/policy/admin/held-list.ts';
import type { PackageSource } from '../../../../../proxy/policy/admin/package-source.ts';
import { CurrentPolicy, noOutsideLists } from '../../../../../proxy/policy/apply/current-policy.ts';
import { compilePolicy } from '../../../../../proxy/policy/judge/compile-policy.ts';

const names = ['acme/a', 'acme/b', 'acme/c'].map((name) => name as PackageName);
const rules = [{ rule: 'capability', name: 'new', action: 'block' }] as const;
const policy = new CurrentPolicy(compilePolicy({ rules, exceptions: [] }), noAdvisories, noOutsideLists);
const store = createMemoryStore();

let [epoch, looks] = [1, [] as string[]];
const look = createHeldList({
  store,
  reader: { current: () => policy },
  packages: [
    {
      origin: 'private',
      names: () => Promise.resolve(names),
      epoch: () => epoch,
      stamp: (name) => (looks.push(`stamp ${name}`), String(epoch)),
      read: (name) => (looks.push(`read ${name}`), Promise.resolve(undefined)),
    } satisfies PackageSource,
  ],
  sources: { settings: { current: () => ({ 'publishing.four_eyes': false }) } } as never,
  artifactsOf: () => ({ staged: () => Promise.resolve([]) }),
  stagedRecord: () => Promise.resolve(undefined),
});
beforeEach(() => {
  looks = [];
});

it('reads each package once, looks at no file while nothing is published, and then at the given packages', async () => {
  expect((await look(0)).examined.size).toBe(3);
  expect(looks).toHaveLength(6);
  looks = [];
  expect((await look(0)).examined.size).toBe(3);
  expect(looks).toEqual([]);
  epoch += 1;
  expect([...(await look(0, { only: ['acme/b' as PackageName] })).examined]).toEqual(['acme/b']);
  expect(looks).toEqual(['stamp acme/b', 'read acme/b']);
  looks = [];
  await look(0);
  expect(looks).toContain('stamp acme/c');
});

it('is asked for the packages of one publication, and for all once a minute, or if it is unknown what changed', async () => {
  const asked: (readonly string[] | undefined)[] = [];
  let [nowMs, serial, count] = [1_000_000, 1, 1];
  const parts: Partial<CollectorParts> = {
    state: createMemoryStore(),
    receive: () => Promise.resolve({ conditions: [], puts: [] }),
    now: () => nowMs,
    files: { epoch: () => serial } as never,
    publications: {
      list: () =>
        Promise.resolve({
          publications: [{ serial, previous: serial - 1, names: ['acme/b'], counts: { packages: count } }],
          next: null,
        }),
    } as never,
    held: (only) => (asked.push(only), Promise.resolve({ releases: [], examined: new Set() })),
    onError: () => undefined,
  };
  const { lookAtTree } = createCollector(parts as CollectorParts);
  await lookAtTree();
  expect(asked.splice(0)).toEqual([undefined]);
  nowMs += 1000;
  serial += 1;
  await lookAtTree();
  expect(asked.splice(0)).toEqual([['acme/b']]);
  await lookAtTree(); // another part of the look has failed: it comes again
  expect(asked.splice(0)).toEqual([[]]);
  nowMs += 1000;
  [serial, count] = [serial + 1, 7];
  await lookAtTree();
  expect(asked.splice(0)).toEqual([undefined]);
  nowMs += 60_000;
  [serial, count] = [serial + 1, 1];
  await lookAtTree();
  expect(asked.splice(0)).toEqual([undefined]);
});
