// I26. Compares the server with a model of the policy: random rules, scopes, exceptions and times, for published and
// mirrored packages, and for tokens with and without a view. Every version is asked for at both places. Some versions
// are withdrawn.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noAdvisories } from '../../build/contract/advisory-lists.ts';
import type { FormerFacts } from '../../build/contract/former-facts.ts';
import { noOutsideLists } from '../../proxy/policy/apply/current-policy.ts';
import { zipBytes } from '../util/hand-made-tree.ts';
import { archiveFor } from '../util/mirroring-registry.ts';
import {
  modelBlocks,
  modelSees,
  type ModelException,
  type ModelPackage,
  type ModelRule,
  type ModelVersion,
  type ModelView,
} from '../util/policy-model.ts';
import { policedRegistry, type PolicedRegistry } from '../util/policed-registry.ts';
import { fc } from '../util/seeded-check.ts';

const numRuns = Number(process.env['POLICY_RUNS'] ?? 10);
const start = Date.parse('2026-06-01T12:00:00Z');
const day = 86_400_000;
const views: Readonly<Record<string, ModelView>> = {
  reader: {},
  vendor: { packages: ['acme/*', 'some/a'] },
  first: { constraint: '<2.0' },
};

const versionsOf = (seed: number): readonly ModelVersion[] =>
  ['2.1.0', '2.0.0', '1.0.0', 'dev-main'].map((version, at) => ({
    version,
    license: (seed + at) % 3 === 0 ? 'GPL-3.0-only' : 'MIT',
    type: (seed + at) % 4 === 1 ? 'composer-plugin' : 'library',
    abandoned: (seed * 3 + at) % 5 === 2,
    timeMs: start - ([1, 5, 400, 2][(seed + at) % 4] ?? 0) * day,
  }));
const packages: readonly ModelPackage[] = ['acme/a', 'acme/b', 'some/a', 'some/b'].map((name, seed) => ({
  name,
  origin: name.startsWith('acme/') ? 'private' : 'mirrored',
  versions: versionsOf(seed),
  advisories: [
    { id: 'A-1', severity: ['low', 'high', null, 'critical'][seed] ?? null, constraint: '<2.0' },
    ...(seed % 2 === 0 ? [{ id: 'A-2', severity: 'medium', constraint: '^2.1' }] : []),
  ],
  listed: seed % 2 === 1 ? ['2.0.0'] : [],
  withdrawn: seed % 2 === 0 && name.startsWith('acme/') ? ['2.1.0', '1.0.0', 'dev-main'] : [],
}));

const maybe = <Value>(key: string, values: fc.Arbitrary<Value>): fc.Arbitrary<Record<string, Value>> =>
  fc.oneof(
    fc.constant({}),
    values.map((value) => ({ [key]: value })),
  );
const patterns = fc.subarray(['acme/*', 'some/*', '*/a', 'some/b', '*'], { minLength: 1 });
const kinds = fc.oneof(
  fc
    .tuple(
      maybe('severity', fc.constantFrom('low', 'medium', 'high', 'critical')),
      maybe('ignore', fc.subarray(['A-1', 'A-2'])),
    )
    .map(([severity, ignore]) => ({ rule: 'advisories', ...severity, ...ignore })),
  fc.constantFrom(['malware'], ['other']).map((lists) => ({ rule: 'filter', lists })),
  fc.constantFrom(1, 3, 30).map((days) => ({ rule: 'age', days, by: 'time' })),
  fc.constantFrom(['MIT'], ['MIT', 'GPL-3.0-only']).map((allow) => ({ rule: 'license', allow })),
  fc.constant({ rule: 'abandoned' }),
  fc.subarray(['acme/a', 'some/*']).map((allow) => ({ rule: 'plugin', allow })),
);
const rules = fc
  .array(
    fc.tuple(
      kinds,
      fc.constantFrom('block', 'block', 'block', 'warn', 'log'),
      maybe('packages', patterns),
      maybe('except', patterns),
      maybe('stability', fc.constantFrom('stable', 'dev')),
      maybe('origin', fc.constantFrom('private', 'mirrored')),
      maybe('tokens', fc.subarray(['tok_reader', 'tok_vendor'], { minLength: 1 })),
      maybe('archives', fc.constantFrom('refuse', 'serve')),
    ),
    { maxLength: 4 },
  )
  .map((all) =>
    all.map(
      ([kind, action, ...scope], at): ModelRule =>
        Object.assign({ ...kind, action, name: `r${at}` }, ...scope) as ModelRule,
    ),
  );
const exceptions = fc.array(
  fc.record({
    at: fc.nat({ max: 3 }),
    packages: patterns,
    versions: fc.constantFrom('*', '^2.0', '<2.0'),
    until: fc.constantFrom('2026-05-31', '2026-06-01', '2026-06-01T11:00:00Z', '2026-06-03'),
  }),
  { maxLength: 3 },
);

describe('a random policy', () => {
  let registry: PolicedRegistry;
  const accepted = new Set<string>();

  beforeAll(async () => {
    registry = await policedRegistry({
      vendor: { packages: ['acme/*', 'some/a'] },
      first: { constraints: { '*': '<2.0' } },
    });
    for (const of of packages) put(registry, of);
    registry.tree.publish();
    registry.setLists(noAdvisories, {
      ...noOutsideLists,
      advisoriesOf: (name) =>
        (packages.find((one) => one.name === name)?.advisories ?? []).map((one) => ({
          ...one,
          aliases: [],
          title: '',
        })),
      entriesOf: (name) =>
        (packages.find((one) => one.name === name)?.listed ?? []).map((constraint) => ({
          list: 'malware',
          constraint,
          reason: null,
        })),
    });
  });
  afterAll(() => registry[Symbol.asyncDispose]());

  it('is decided as the model decides, in the metadata and for archives', async () => {
    await fc.assert(
      fc.asyncProperty(rules, exceptions, fc.constantFrom(0, 1, 3, 40), async (given, excepted, days) => {
        const policy = { rules: given, exceptions: exceptionsOf(given, excepted) };
        registry.clock.nowMs = start + days * day;
        registry.setPolicy(policy as never);
        for (const token of Object.keys(views))
          for (const of of packages) await compare(registry, accepted, policy, of, token);
      }),
      { numRuns },
    );
  }, 900_000);
});

type Policy = { readonly rules: readonly ModelRule[]; readonly exceptions: readonly ModelException[] };

async function compare(
  registry: PolicedRegistry,
  accepted: Set<string>,
  policy: Policy,
  of: ModelPackage,
  token: string,
): Promise<void> {
  const caller = { token: `tok_${token}`, nowMs: registry.clock.nowMs };
  const seen = of.versions.filter(({ version }) => modelSees(views[token] ?? {}, of.name, version));
  for (const dev of [false, true]) {
    const here = seen.filter(({ version }) => version.startsWith('dev-') === dev && !of.withdrawn.includes(version));
    const wanted = here.filter((one) => !modelBlocks(policy, of, one, caller)).map(({ version }) => version);
    const offered = await registry.offered(of.name, token, dev);
    // a mirrored document without a version that a rule lets through may be missing
    expect([of.name, token, ...(offered ?? [])]).toEqual([of.name, token, ...wanted]);
  }
  for (const one of of.versions) {
    const key = `${of.name} ${one.version}`;
    const archive = of.origin === 'private' || accepted.has(key);
    const { status } = await registry.get(`/dist/${of.name}/${one.version}.zip`, token);
    const wanted = seen.includes(one) ? (modelBlocks(policy, of, one, { ...caller, archive }) ? 410 : 200) : 404;
    expect([key, token, status]).toEqual([key, token, wanted]);
    if (status === 200) accepted.add(key);
  }
}

function exceptionsOf(
  rulesOf: readonly ModelRule[],
  given: readonly {
    readonly at: number;
    readonly packages: string[];
    readonly versions: string;
    readonly until: string;
  }[],
): readonly ModelException[] {
  return given.flatMap(({ at, ...one }) => {
    const rule = rulesOf[at]?.name;
    return rule === undefined ? [] : [{ rule, owner: 'ann', reason: 'agreed', ...one }];
  });
}

function put({ tree, upstream }: PolicedRegistry, { name, origin, versions, withdrawn }: ModelPackage): void {
  const fieldsOf = ({ license, type, abandoned }: ModelVersion) => ({ license: [license], type, abandoned });
  const factsOf = ({ license, type, abandoned }: ModelVersion): FormerFacts => ({
    license: [license],
    type,
    ...(abandoned ? { abandoned } : {}),
  });
  const timeOf = ({ timeMs }: ModelVersion): string => new Date(timeMs).toISOString().replace('.000Z', '+00:00');
  if (origin === 'mirrored') {
    upstream.put(
      name,
      versions.map((one) => ({
        version: one.version,
        zip: archiveFor(`${name} ${one.version}`),
        extra: { ...fieldsOf(one), time: timeOf(one) },
      })),
    );
    return;
  }
  tree.put(
    name,
    versions.map((one) => ({
      version: one.version,
      normalized: one.version.startsWith('dev-') ? one.version : `${one.version}.0`,
      zip: zipBytes(`${name} ${one.version}`),
      time: timeOf(one).replace('+00:00', 'Z'),
      fields: fieldsOf(one),
      ...(withdrawn.includes(one.version) ? { state: 'withdrawn', facts: factsOf(one) } : {}),
    })),
  );
}
