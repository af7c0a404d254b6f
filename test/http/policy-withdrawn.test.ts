// I26. Tests that a withdrawal unblocks nothing: an archive of a lock file is judged also where no record of its
// package is published any more, by what the serving index kept of its record.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FormerFacts } from '../../build/contract/former-facts.ts';
import { zipBytes, type VersionSpec } from '../util/hand-made-tree.ts';
import { policedRegistry, type PolicedRegistry } from '../util/policed-registry.ts';

type Fields = Readonly<Record<string, unknown>>;
const plugin: Fields = { license: ['MIT'], type: 'composer-plugin' };
const version = (state: VersionSpec['state'], fields: Fields, more: Partial<VersionSpec> = {}): VersionSpec => ({
  version: '1.0.0',
  normalized: '1.0.0.0',
  zip: zipBytes('1.0.0'),
  time: '2020-01-01T00:00:00Z',
  fields,
  ...(state === undefined ? {} : { state }),
  ...more,
});
const newer = (fields: Fields): VersionSpec =>
  version('published', fields, { version: '2.0.0', normalized: '2.0.0.0', zip: zipBytes('2.0.0') });
const withdrawn = (facts?: FormerFacts): VersionSpec => version('withdrawn', {}, facts === undefined ? {} : { facts });
const unknown = (fact: string): string => `its ${fact} is unknown, since the version is no longer published`;

let registry: PolicedRegistry;
beforeEach(async () => {
  registry = await policedRegistry();
});
afterEach(() => registry[Symbol.asyncDispose]());

/** Publishes these versions of one package under this rule, and asks for the archive of 1.0.0. */
async function judged(rule: Fields, versions: readonly VersionSpec[]): Promise<unknown> {
  registry.setPolicy({ rules: [{ name: 'one', action: 'block', ...rule }] as never });
  registry.tree.put('acme/one', versions);
  registry.tree.publish();
  registry.clock.nowMs += 1000; // the server looks for publications again
  const reply = await registry.get('/dist/acme/one/1.0.0.zip');
  return reply.status === 200 ? 200 : (reply.json()['details'] as Record<string, unknown>)['reason'];
}

const plugins = { rule: 'plugin', allow: [] };
const licences = { rule: 'license', allow: ['BSD-*'] };
const abandoned = { rule: 'abandoned' };
const withReadme = { rule: 'required', fields: ['readme'] };
const withLicence = { rule: 'required', fields: ['license'] };

describe('an archive whose version was withdrawn is judged by its own former record', () => {
  it.each<[Fields, Fields, FormerFacts, string]>([
    [plugins, plugin, plugin, 'it is a Composer plugin that is not allowed'],
    [licences, plugin, plugin, 'its licence MIT is not allowed'],
    [withLicence, {}, {}, 'it lacks a licence'],
    [withReadme, {}, {}, 'it lacks a README'],
    [abandoned, { abandoned: true }, { abandoned: true }, 'it is abandoned'],
    [abandoned, { abandoned: 'acme/new' }, { abandoned: 'acme/new' }, 'it is abandoned; use acme/new instead'],
  ])('%j blocks a version with %j, also where its index entry alone has %j', async (rule, fields, facts, reason) => {
    expect(await judged(rule, [version('published', fields)])).toBe(reason);
    expect(await judged(rule, [withdrawn(facts)])).toBe(reason);
    const sound = newer({ license: ['BSD-3-Clause'] });
    expect(await judged(rule, [sound, withdrawn(facts)])).toBe(reason);
    expect(await judged(rule, [sound, { ...withdrawn(facts), state: 'superseded' }])).toBe(reason);
  });

  it.each<[Fields, Fields, FormerFacts]>([
    [plugins, plugin, { license: ['MIT'] }],
    [licences, plugin, { license: ['BSD-3-Clause'] }],
    [withLicence, {}, { license: ['MIT'] }],
    [withReadme, {}, { readme: true }],
  ])(
    '%j serves it where only a newer version with %j is blocked, and its entry has %j',
    async (rule, fields, facts) => {
      expect(await judged(rule, [withdrawn(facts)])).toBe(200);
      expect(await judged(rule, [newer(fields), withdrawn(facts)])).toBe(200);
    },
  );
});

it('a package that was abandoned after the withdrawal is abandoned for the withdrawn version too', async () => {
  expect(await judged(abandoned, [newer({}), withdrawn({})])).toBe(200);
  expect(await judged(abandoned, [newer({ abandoned: 'acme/new' }), withdrawn({})])).toBe(
    'it is abandoned; use acme/new instead',
  );
  expect(await judged(abandoned, [newer({}), withdrawn({ abandoned: true })])).toBe('it is abandoned');
});

describe('an archive whose version was withdrawn by an older version of Libretto', () => {
  it.each([
    [plugins, unknown('type')],
    [licences, unknown('licence')],
    [withLicence, unknown('licence')],
    [abandoned, unknown('abandonment')],
    [withReadme, 200],
    [{ rule: 'plugin', allow: ['acme/*'] }, 200],
  ])('%j says %j where its package has no record left', async (rule, reason) => {
    expect(await judged(rule, [withdrawn()])).toBe(reason);
  });

  it('is judged by the record of another version, where there is one', async () => {
    expect(await judged(plugins, [newer({ type: 'library' }), withdrawn()])).toBe(200);
    expect(await judged(abandoned, [newer({ type: 'library' }), withdrawn()])).toBe(200);
    expect(await judged(abandoned, [newer({ abandoned: true }), withdrawn()])).toBe('it is abandoned');
  });
});
