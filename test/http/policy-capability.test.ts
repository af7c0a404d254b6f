// The rule `capability` at the server: a release that can newly do something is held, in documents and for lock files,
// until its days are over or a person has decided. Packages that are published here, and mirrored ones.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { normalizeVersion } from '../../build/contract/version.ts';
import type { ReviewDecision } from '../../proxy/policy/records/review-decisions.ts';
import { zipBytes, type VersionSpec } from '../util/hand-made-tree.ts';
import { one } from '../util/listed-versions.ts';
import { policedRegistry, type PolicedRegistry } from '../util/policed-registry.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { referenceFor, type UpstreamVersion } from '../util/upstream.ts';

type Fields = Readonly<Record<string, unknown>>;

const day = 86_400_000;
const began = Date.parse('2026-06-01T12:00:00Z');
const boot: Fields = { autoload: { files: ['src/boot.php'] } };
const rule = { name: 'new', rule: 'capability', action: 'block', since: '2026-06-01' };
const newer = 'it runs src/boot.php in every request, unlike 1.0.0';

let at: TemporaryFolder;
let registry: PolicedRegistry;
beforeEach(async () => {
  at = temporaryFolder('capability');
  registry = await policedRegistry({ half: { constraints: { '*': '>=1.0.1' } } as never }, { at });
  registry.tree.put('acme/app', []);
  registry.tree.publish();
});
afterEach(async () => {
  await registry[Symbol.asyncDispose]();
  await at.remove();
});

const hold = (more: Fields = {}): void => registry.setPolicy({ rules: [{ ...rule, ...more }] as never });
const later = (ms = 700_000): void => {
  registry.clock.nowMs += ms;
};
/** The reason of the refusal of an archive; 200: it is sent. */
const archive = async (name: string, version: string, query = ''): Promise<unknown> => {
  const reply = await registry.get(`/dist/${name}/${version}.zip${query}`);
  return reply.status === 410 ? (reply.json()['details'] as Fields)['reason'] : reply.status;
};
const decide = (name: string, version: string, more: Partial<ReviewDecision> = {}): ReviewDecision => ({
  package: name,
  version: normalizeVersion(version) ?? '',
  reference: '',
  decision: 'approved',
  by: 'ada@example.org',
  reason: 'read it',
  at: '2026-06-02T00:00:00Z',
  ...more,
});

describe('a package that is published here', () => {
  type Published = readonly (readonly [string, number, Fields?])[];
  const publish = (...releases: Published): void => publishBeside([], ...releases);
  const publishBeside = (others: readonly VersionSpec[], ...releases: Published): void => {
    registry.tree.put('acme/app', [
      ...releases
        .map(([version, arrivedMs, fields = {}]) => ({
          version,
          normalized: `${version}.0`,
          zip: zipBytes(version),
          reference: referenceFor(version),
          time: '2019-01-01T00:00:00Z',
          fields: { 'published-time': new Date(arrivedMs).toISOString(), ...fields },
        }))
        .toReversed(),
      ...others,
    ]);
    registry.tree.publish();
    later(2000);
  };

  it('is offered without the release that gained something, and without the next one that keeps it', async () => {
    hold();
    publish(['1.0.0', 0], ['1.0.1', began, boot], ['1.0.2', began + 1000, boot], ['1.0.3', began + 2000]);
    expect(await registry.offered('acme/app')).toEqual(['1.0.3', '1.0.0']);
    for (const version of ['1.0.1', '1.0.2'])
      expect(await archive('acme/app', version)).toBe(`${newer}; held until somebody approves it`);
    expect([await archive('acme/app', '1.0.0'), await archive('acme/app', '1.0.3')]).toEqual([200, 200]);
    expect(await registry.offered('acme/app', 'half')).toEqual(['1.0.3']); // the view hides 1.0.0, the comparison sees it
  });

  it('keeps what came before the rule began, and what gained nothing that counts', async () => {
    hold();
    publish(['1.0.0', 0], ['1.0.1', began - day, boot], ['1.0.2', began, { ...boot, license: 'MIT', bin: [] }]);
    expect(await registry.offered('acme/app')).toEqual(['1.0.2', '1.0.1', '1.0.0']);
    hold({ kinds: ['license'] });
    expect(await registry.offered('acme/app')).toEqual(['1.0.1', '1.0.0']);
  });

  it('is whole again after the days, counted from the release that brought it', async () => {
    hold({ days: 7 });
    publish(['1.0.0', 0], ['1.0.1', began, boot], ['1.0.2', began + 6 * day, boot]);
    expect(await archive('acme/app', '1.0.2')).toBe(`${newer}; held until 2026-06-08T12:00:00.000Z`);
    later(7 * day);
    expect(await registry.offered('acme/app')).toEqual(['1.0.2', '1.0.1', '1.0.0']);
    expect(await archive('acme/app', '1.0.2')).toBe(200);
  });

  it('is offered as far as a person approved it, and stays without what was rejected', async () => {
    hold();
    publish(['1.0.0', 0], ['1.0.1', began, boot], ['1.0.2', began, boot], ['1.0.3', began, { ...boot, bin: 'run' }]);
    const reference = referenceFor('1.0.2');
    registry.setDecisions([decide('acme/app', '1.0.2', { reference })]);
    expect(await registry.offered('acme/app')).toEqual(['1.0.2', '1.0.0']);
    registry.setDecisions([decide('acme/app', '1.0.2', { reference: referenceFor('other bytes') })]);
    expect(await registry.offered('acme/app')).toEqual(['1.0.0']);
    const rejected = { reference: referenceFor('1.0.1'), decision: 'rejected', reason: 'it phones home' } as const;
    registry.setDecisions([decide('acme/app', '1.0.1', rejected)]);
    hold({ days: 1 });
    later(9 * day);
    expect(await archive('acme/app', '1.0.3')).toBe(`${newer}; a person rejected it: it phones home`);
    registry.setDecisions([
      decide('acme/app', '1.0.1', rejected),
      decide('acme/app', '1.0.3', { reference: referenceFor('1.0.3') }),
    ]);
    expect(await registry.offered('acme/app')).toEqual(['1.0.3', '1.0.0']);
  });

  it('is offered where a person approved its archive before it was published', async () => {
    hold();
    publish(['1.0.0', 0], ['1.0.1', began + 3 * day, boot]);
    registry.setDecisions([decide('acme/app', '1.0.1', { reference: referenceFor('1.0.1') })]);
    expect(await registry.offered('acme/app')).toEqual(['1.0.1', '1.0.0']);
  });

  it('keeps for lock files what was withdrawn, and published before the rule, also beside a decision', async () => {
    hold();
    publish(['1.0.0', 0], ['1.0.1', began, boot]);
    registry.setDecisions([decide('acme/app', '1.0.1', { reference: referenceFor('1.0.1') })]);
    const withdrawn = { version: '0.9.0', normalized: '0.9.0.0', zip: zipBytes('0.9.0'), state: 'withdrawn' } as const;
    registry.tree.put('acme/app', [withdrawn]);
    registry.tree.publish();
    later(2000);
    expect(await archive('acme/app', '0.9.0')).toBe(200);
  });

  it('keeps for lock files what was withdrawn, once the days of the rule are over', async () => {
    hold({ days: 7 });
    const old = { version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0'), state: 'withdrawn' } as const;
    registry.tree.put('acme/app', [{ ...old, since: '2026-06-01T12:00:00Z' }]);
    registry.tree.publish();
    later(6 * day);
    expect(await archive('acme/app', '1.0.0')).toContain('difference from the releases below is unknown');
    later(day);
    expect(await archive('acme/app', '1.0.0')).toBe(200);
    registry.setDecisions([decide('acme/app', '0.9.0', { decision: 'rejected' })]);
    expect(await archive('acme/app', '1.0.0')).toContain('difference from the releases below is unknown');
  });

  it('stays held after all releases below it were withdrawn, and so does one that comes after them', async () => {
    hold();
    const first = { version: '1.0.0', normalized: '1.0.0.0', zip: zipBytes('1.0.0'), reference: referenceFor('1.0.0') };
    const withdrawn = (at: number, ...can: string[]): VersionSpec => ({
      ...first,
      state: 'withdrawn',
      firstPublished: '2026-01-01T00:00:00Z',
      since: new Date(at).toISOString(),
      facts: { can },
    });
    publish(['1.0.0', 0], ['1.0.1', began, boot]);
    expect(await registry.offered('acme/app')).toEqual(['1.0.0']);
    publishBeside([withdrawn(began + 1000, 'license MIT')], ['1.0.1', began, boot], ['1.0.2', began + 2000, boot]);
    expect(await registry.offered('acme/app')).toEqual([]);
    expect(await archive('acme/app', '1.0.1')).toBe(`${newer}; held until somebody approves it`);
    publishBeside([withdrawn(began + 1000)], ['1.0.2', began + 2000, boot], ['1.0.3', began + 2000]);
    expect(await registry.offered('acme/app')).toEqual(['1.0.3']);
    // it ran the file already
    publishBeside([withdrawn(began + 1000, 'autoload-file src/boot.php')], ['1.0.1', began, boot]);
    expect(await registry.offered('acme/app')).toEqual(['1.0.1']);
  });

  it('is judged by the decision about itself, then by the nearest one below', async () => {
    hold();
    publish(['1.0.0', 0], ...[1, 2, 5, 6].map((at) => [`1.0.${at}`, began, boot] as const));
    const [of2, of5] = ['1.0.2', '1.0.5'].map((one) => ({ reference: referenceFor(one) }));
    registry.setDecisions([
      decide('acme/app', '1.0.5', { ...of5, decision: 'rejected' }),
      decide('acme/app', '1.0.2', of2),
    ]);
    expect(await registry.offered('acme/app')).toEqual(['1.0.2', '1.0.0']);
  });

  it('is offered as a whole where a rule only warns', async () => {
    hold({ action: 'warn' });
    publish(['1.0.0', 0], ['1.0.1', began, boot]);
    expect(await registry.offered('acme/app')).toEqual(['1.0.1', '1.0.0']);
    expect(JSON.stringify((await registry.get('/p2/acme/app.json')).json()['warnings'])).toContain(newer);
  });
});

describe('a mirrored package', () => {
  const upstream = (...versions: readonly UpstreamVersion[]): void => {
    registry.upstream.put('some/lib', versions.toReversed());
    later();
  };
  const offered = (): Promise<readonly string[] | undefined> => registry.offered('some/lib');
  const ledger = (): string => at.at('mirror/arrivals/some/lib.json');

  it('is offered as it was first seen, and then without the release that gained something', async () => {
    hold({ days: 7 });
    upstream(one('1.0.0'), one('2.0.0', boot));
    expect(await offered()).toEqual(['2.0.0', '1.0.0']);
    // its author and its registry date it back; another process notices it
    upstream(
      one('1.0.0'),
      one('1.0.1', { ...boot, 'published-time': '2020-01-01T00:00:00+00:00' }),
      one('2.0.0', boot),
    );
    expect(await offered()).toEqual(['2.0.0', '1.0.0']);
    expect(await archive('some/lib', '1.0.1')).toContain(`${newer}; held until 2026-06-08T`);
    expect(await archive('some/lib', '2.0.0')).toBe(200);
    const before = readFileSync(ledger(), 'utf8');
    later(8 * day);
    expect(await offered()).toEqual(['2.0.0', '1.0.1', '1.0.0']);
    expect(await archive('some/lib', '1.0.1')).toBe(200);
    expect(readFileSync(ledger(), 'utf8')).toBe(before);
  });

  it('is offered without a release whose tag has moved, and with it where the moved one gained nothing', async () => {
    hold();
    upstream(one('1.0.0'), one('1.1.0'));
    expect(await offered()).toEqual(['1.1.0', '1.0.0']);
    upstream(one('1.0.0'), { ...one('1.1.0', boot), reference: referenceFor('moved') });
    expect(await offered()).toEqual(['1.0.0']);
    upstream({ ...one('1.0.0', boot), reference: referenceFor('the lowest') }, one('1.1.0'));
    expect(await offered()).toEqual(['1.1.0']);
    upstream(one('1.0.0'), { ...one('1.1.0'), reference: referenceFor('moved again') });
    expect(await offered()).toEqual(['1.1.0', '1.0.0']);
  });

  it('keeps for lock files that name it a stored archive whose tag has moved, until a person rejects it', async () => {
    hold();
    upstream(one('1.0.0'), one('1.1.0'));
    expect(await offered()).toEqual(['1.1.0', '1.0.0']);
    expect(await archive('some/lib', '1.1.0')).toBe(200);
    upstream(one('1.0.0'), { ...one('1.1.0', boot), reference: referenceFor('moved') });
    expect(await offered()).toEqual(['1.0.0']);
    const former = `?ref=${referenceFor('some/lib 1.1.0')}`;
    expect(await archive('some/lib', '1.1.0', former)).toBe(200);
    // without a reference it means what the upstream has now
    const held = `${newer}; held until somebody approves it`;
    for (const query of ['', '?ref=', `?ref=${referenceFor('moved')}`])
      expect(await archive('some/lib', '1.1.0', query)).toBe(held);
    const at = new Date(registry.clock.nowMs).toISOString();
    const rejected = { at, decision: 'rejected', reason: 'bad' } as const;
    registry.setDecisions([decide('some/lib', '1.1.0', { ...rejected, reference: referenceFor('moved') })]);
    expect(await archive('some/lib', '1.1.0', former)).toBe(200);
    expect(await archive('some/lib', '1.1.0')).toContain('a person rejected it: bad');
    registry.setDecisions([decide('some/lib', '1.1.0', { ...rejected, reference: referenceFor('some/lib 1.1.0') })]);
    for (const query of ['', former]) expect(await archive('some/lib', '1.1.0', query)).toContain('rejected it: bad');
  });

  it('keeps a stored archive that is held back, also after its tag moved or went', async () => {
    hold({ action: 'warn' });
    upstream(one('1.0.0'));
    expect(await offered()).toEqual(['1.0.0']);
    upstream(one('1.0.0'), one('1.1.0', boot));
    expect(await archive('some/lib', '1.1.0')).toBe(200);
    hold();
    const held = `${newer}; held until somebody approves it`;
    const own = `?ref=${referenceFor('some/lib 1.1.0')}`;
    const moved = { ...one('1.1.0'), reference: referenceFor('moved') };
    for (const now of [[one('1.1.0', boot)], [], [moved], []]) {
      upstream(one('1.0.0'), ...now);
      for (const query of ['', own, own.slice(0, 14)]) expect(await archive('some/lib', '1.1.0', query)).toBe(held);
    }
    const [at, reference] = [new Date(registry.clock.nowMs).toISOString(), referenceFor('some/lib 1.1.0')];
    upstream(one('1.0.0'), moved);
    registry.setDecisions([decide('some/lib', '1.1.0', { at, reference })]);
    expect(await archive('some/lib', '1.1.0', own)).toBe(200);
  });

  it('is offered without an archive that a person rejected, also after its tag moved or went', async () => {
    hold();
    upstream(one('1.0.0'));
    expect(await offered()).toEqual(['1.0.0']);
    upstream(one('1.0.0'), one('1.1.0', boot));
    expect(await offered()).toEqual(['1.0.0']);
    const decision = (): Partial<ReviewDecision> => ({
      at: new Date(registry.clock.nowMs).toISOString(),
      reference: referenceFor('some/lib 1.1.0'),
    });
    registry.setDecisions([decide('some/lib', '1.1.0', decision())]);
    expect(await archive('some/lib', '1.1.0')).toBe(200);
    registry.setDecisions([decide('some/lib', '1.1.0', { ...decision(), decision: 'rejected', reason: 'bad' })]);
    upstream(one('1.0.0'), { ...one('1.1.0'), reference: referenceFor('moved') });
    expect(await offered()).toEqual(['1.0.0']);
    expect(await archive('some/lib', '1.1.0')).toBe(`${newer}; a person rejected it: bad`);
    upstream(one('1.0.0'));
    expect(await offered()).toEqual(['1.0.0']);
    expect(await archive('some/lib', '1.1.0')).toBe(`${newer}; a person rejected it: bad`);
  });

  it('is offered without a moved release that does what a release below does, and what it did not do before', async () => {
    hold();
    upstream(one('1.0.0', boot), one('1.1.0'));
    expect(await offered()).toEqual(['1.1.0', '1.0.0']);
    upstream(one('1.0.0', boot), { ...one('1.1.0', boot), reference: referenceFor('moved') });
    expect(await offered()).toEqual(['1.0.0']);
    // a second move makes it no older
    upstream(one('1.0.0', boot), { ...one('1.1.0', boot), reference: referenceFor('moved twice') });
    expect(await offered()).toEqual(['1.0.0']);
    expect(await archive('some/lib', '1.1.0')).toBe(
      'it runs src/boot.php in every request; held until somebody approves it',
    );
    upstream(one('1.0.0', boot), { ...one('1.1.0'), reference: referenceFor('moved back') });
    expect(await offered()).toEqual(['1.1.0', '1.0.0']);
  });

  it('is offered without releases that run a file, where all its tags have moved at once', async () => {
    hold();
    upstream(one('1.0.0', boot), one('1.1.0', boot));
    expect(await offered()).toEqual(['1.1.0', '1.0.0']);
    const moved = (version: string, fields: Fields = boot): UpstreamVersion => ({
      ...one(version, fields),
      reference: referenceFor(`moved ${version}`),
    });
    upstream(moved('1.0.0'), moved('1.1.0'), moved('1.2.0', {}));
    expect(await offered()).toEqual(['1.2.0']);
    expect(await archive('some/lib', '1.1.0')).toBe(
      'it runs src/boot.php in every request; held until somebody approves it',
    );
  });

  it('is compared anew where a record changes under the same reference, and an approval is about the record', async () => {
    hold();
    upstream(one('1.0.0'), one('1.0.1'));
    expect(await offered()).toEqual(['1.0.1', '1.0.0']);
    upstream(one('1.0.0'), one('1.0.1', boot));
    expect(await offered()).toEqual(['1.0.0']);
    const at = new Date(registry.clock.nowMs).toISOString();
    registry.setDecisions([decide('some/lib', '1.0.1', { at, reference: referenceFor('some/lib 1.0.1') })]);
    expect(await offered()).toEqual(['1.0.1', '1.0.0']);
    upstream(one('1.0.0'), one('1.0.1', { ...boot, bin: 'run' }));
    expect(await offered()).toEqual(['1.0.0']);
  });

  it('is held under every name of a version, and under a false normalized one', async () => {
    hold();
    upstream(one('1.0.0'));
    expect(await offered()).toEqual(['1.0.0']);
    upstream(one('1.0.0'), one('1.0.2', boot), one('v1.0.2'), one('1.0.3', { ...boot, version_normalized: 'dev-x' }));
    expect(await offered()).toEqual(['1.0.0']);
    upstream(one('1.0.0'), one('1.0.2'), one('v1.0.2', boot));
    expect(await offered()).toEqual(['1.0.0']);
  });

  it('is held by each rule for itself: a second one frees nothing, and nothing that a person rejected', async () => {
    hold();
    upstream(one('1.0.0'));
    expect(await offered()).toEqual(['1.0.0']);
    upstream(one('1.0.0'), one('1.0.1', boot));
    expect(await offered()).toEqual(['1.0.0']);
    later(day);
    const since = new Date(registry.clock.nowMs).toISOString();
    const second = { ...rule, name: 'second', action: 'warn', kinds: ['license'], since };
    registry.setPolicy({ rules: [rule, second] as never });
    later(1000);
    expect(await offered()).toEqual(['1.0.0']);
    const at = new Date(registry.clock.nowMs).toISOString();
    const rejected = { at, decision: 'rejected', reason: 'no' } as const;
    registry.setDecisions([decide('some/lib', '1.0.1', { ...rejected, reference: referenceFor('some/lib 1.0.1') })]);
    registry.setPolicy({ rules: [{ ...second, action: 'block' }] as never });
    // the only rule that is left looks at other kinds, and began later: what came before is history
    expect(await archive('some/lib', '1.0.1')).toContain('a person rejected it: no');
  });

  it('begins anew with a later rule, and writes nothing without one', async () => {
    registry.setPolicy({ rules: [] });
    upstream(one('1.0.0'));
    expect(await offered()).toEqual(['1.0.0']);
    expect(existsSync(ledger())).toBe(false);
    hold();
    expect(await offered()).toEqual(['1.0.0']);
    registry.setPolicy({ rules: [] });
    upstream(one('1.0.0'), one('1.0.1', boot));
    expect(await offered()).toEqual(['1.0.1', '1.0.0']);
    later(day);
    hold({ since: new Date(registry.clock.nowMs).toISOString() });
    later(1000);
    expect(await offered()).toEqual(['1.0.1', '1.0.0']);
    upstream(one('1.0.0'), one('1.0.1', boot), one('1.0.2', { ...boot, type: 'composer-plugin' }));
    expect(await offered()).toEqual(['1.0.1', '1.0.0']);
  });

  it('is not served while its file of arrivals is damaged', async () => {
    hold();
    upstream(one('1.0.0'));
    expect(await offered()).toEqual(['1.0.0']);
    writeFileSync(ledger(), readFileSync(ledger(), 'utf8').replace('"at":0', '"at":1'));
    upstream(one('1.0.0'), one('1.0.1'));
    expect((await registry.get('/p2/some/lib.json')).status).toBe(500);
  });
});
