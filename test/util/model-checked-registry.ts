// A registry that goes through random steps together with a model. After each step every promise is checked again.

// imported first, because it replaces Node's file system
import { endWatch, Killed, watchDisk } from './faulty-disk.mjs';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { build } from '../../build/build.ts';
import type { BuildEffects, BuildRequest } from '../../build/scan/build-request.ts';
import { readHistory } from '../../build/history/read-history.ts';
import { liftRollbacks, rollBack } from '../../build/rollback/rollback.ts';
import { createDiskOutput } from '../../build/output/disk-output.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { prune } from '../../build/prune/prune.ts';
import { purgeVersion } from '../../build/purge/purge-version.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import { verifyTree } from '../../build/inspect/verify.ts';
import { trackLastModified } from './last-modified-tracker.ts';
import { trackComposerLocks } from './composer-lock-tracker.ts';
import { temporaryTree } from './package-tree.ts';
import { applyEdit, keyOf, names, releases, sourceOf, sources, wantedOf, type Step } from './publication-steps.ts';
import { publishedRecords, publishedTree } from './published-tree.ts';
import { giveLocksToEndedProcess } from './publishing-build.ts';
import { seededRandom } from './seeded-random.ts';
import {
  afterBuild,
  afterLift,
  afterPurge,
  afterRollback,
  distinct,
  possibleStates,
  unknownVersion,
  type VersionState,
  type Wanted,
} from './version-model.ts';

export type Happened =
  | 'published'
  | 'refused'
  | 'unreadable'
  | 'cutOff'
  | 'rolledBack'
  | 'lifted'
  | 'lost'
  | 'purged'
  | 'clean';
export type Tally = Record<Happened, number>;
export const emptyTally = (): Tally => ({
  published: 0,
  refused: 0,
  unreadable: 0,
  cutOff: 0,
  rolledBack: 0,
  lifted: 0,
  lost: 0,
  purged: 0,
  clean: 0,
});

const day = 86_400_000;
/** few enough that prunes find files that no rollback needs */
const keepHistory = 1;
const steady = sources.map((source) => keyOf({ name: `${source}/steady`, version: '1.0.0' }));
const keys = [
  ...steady,
  ...names.flatMap((name) => [undefined, ...releases].map((version) => keyOf({ name, version }))),
];

type Transition = (state: VersionState, key: string) => VersionState;

export interface ModelCheckedRegistry {
  readonly play: (step: Step) => Promise<void>;
  /**
   * Builds until no work is left, and compares with a tree that was built from nothing, where the model predicts equal
   * trees.
   */
  readonly end: () => Promise<void>;
  readonly remove: () => void;
}

export function modelCheckedRegistry(tally: Tally, seed: number): ModelCheckedRegistry {
  // in memory, where the system has space
  const tree = temporaryTree({}, existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
  const data = tree.path('data');
  mkdirSync(data);
  for (const source of sources)
    tree.write({
      [`${source}/steady/1.0.0/composer.json`]: { json: { name: `${source}/steady`, description: 'steady' } },
    });
  const random = seededRandom(seed);
  const locks = trackComposerLocks(data);
  const dates = trackLastModified(data);
  const wanted = new Map<string, Wanted>(steady.map((key) => [key, { content: 'steady', spoilt: false, dev: false }]));
  let states: ReadonlyMap<string, readonly VersionState[]> = new Map(keys.map((key) => [key, [unknownVersion]]));
  const publications = new Map<number, ReadonlyMap<string, string>>();
  let time = Date.UTC(2026, 0, 1);
  let highest = 0;
  /** false: an operation that reads no sources needs a build first */
  let isWhole = true;

  const effects: BuildEffects = {
    now: () => new Date((time += 1000)),
    // one command can publish twice: it first completes a rollback that was cut off
    progress: ({ phase, label }) => {
      if (phase === 'publish' && label === 'memory') dates.note();
    },
    environment: { PATH: process.env['PATH'] },
  };
  const request = (dataDirectory: string): BuildRequest => ({
    dataDirectory,
    baseDirectory: tree.root,
    arguments: [...sources],
    configured: undefined,
    fallback: undefined,
    forget: [],
    strict: false,
    allowRepublish: false,
    allowWithdraw: true,
    jobs: 1,
    metadataUrl: '/p2/%package%$%hash%.json',
    distBaseUrl: undefined,
    keepHistory,
  });
  const serialIn = (path: string): number =>
    existsSync(`${data}/${path}`)
      ? (JSON.parse(readFileSync(`${data}/${path}`, 'utf8')) as { readonly serial: number }).serial
      : 0;
  const observe = (): ReadonlyMap<string, string> =>
    new Map(publishedRecords(data).map(({ name, version, description }) => [`${name}@${version}`, description]));
  const change = (transition: Transition): void =>
    void (states = new Map(
      [...states].map(([key, list]) => [key, distinct(list.map((state) => transition(state, key)))]),
    ));
  const maybe = (transition: Transition): void =>
    void (states = new Map(
      [...states].map(([key, list]) => [
        key,
        distinct(list.flatMap((state) => possibleStates(state, transition(state, key)))),
      ]),
    ));

  /** undefined: it was cut off, and may have happened or not. */
  async function undergo<Report extends { readonly serial: number }>(
    cutOffAt: number | undefined,
    run: () => Promise<Report>,
    transition: Transition,
  ): Promise<Report | undefined> {
    watchDisk(data, cutOffAt === undefined ? undefined : { at: cutOffAt, kind: 'power loss', random });
    const outcome = await run().then(
      (report) => ({ report }),
      (error: unknown) => ({ error }),
    );
    // its simultaneous work dies with the process
    if ('error' in outcome) await sleep(20);
    // readers saw this, whatever the power loss removes
    dates.note();
    const { met } = endWatch();
    giveLocksToEndedProcess(data);
    if (met !== undefined) {
      if ('error' in outcome && !isKilled(outcome.error)) throw outcome.error;
      tally.cutOff += 1;
      dates.note(true);
      isWhole = false;
      maybe(transition);
      return undefined;
    }
    if ('error' in outcome) throw outcome.error;
    change(transition);
    return outcome.report;
  }

  /** `reason`: the expected refusal, if any; undefined: it succeeds. */
  async function unlessRefused(reason: RegExp | undefined, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof BuildRefused) || reason === undefined) throw error;
      expect(error.message).toMatch(reason);
    }
  }
  /**
   * A build comes first after an interruption. An interrupted rollback is completed first, and may add one publication
   * to the record.
   */
  const orCutOff = (reason: RegExp | undefined): RegExp | undefined =>
    isWhole
      ? reason
      : new RegExp(
          [...(reason === undefined ? [] : [reason.source]), 'libretto build', 'no longer recorded'].join('|'),
        );

  async function playBuild({ edits, unreadable, cutOffAt }: Extract<Step, { readonly kind: 'build' }>): Promise<void> {
    for (const edit of edits) {
      applyEdit(tree, edit);
      const next = wantedOf(edit);
      if (next === undefined) wanted.delete(keyOf(edit));
      else wanted.set(keyOf(edit), next);
    }
    for (const source of unreadable) renameSync(tree.path(source), tree.path(`${source}-elsewhere`));
    const isRead = (key: string): boolean => !unreadable.includes(sourceOf(key));
    const refusals = [...states]
      .filter(([key]) => isRead(key))
      .map(([key, list]) => list.map((state) => Number(afterBuild(state, wanted.get(key)).refused)));
    try {
      const report = await undergo(
        cutOffAt,
        () => build(request(data), effects),
        (state, key) => (isRead(key) ? afterBuild(state, wanted.get(key)) : state),
      );
      if (report === undefined) return;
      isWhole = true;
      expect(report.failed).toHaveLength(unreadable.length);
      // an unreadable source keeps its earlier content
      const refused = report.quarantined.filter(({ name }) => isRead(name ?? '')).length;
      const all = JSON.stringify(report.quarantined);
      expect(refused, all).toBeGreaterThanOrEqual(refusals.reduce((sum, list) => sum + Math.min(...list), 0));
      expect(refused, all).toBeLessThanOrEqual(refusals.reduce((sum, list) => sum + Math.max(...list), 0));
      tally.published += Number(report.published);
      tally.refused += refused;
      tally.unreadable += unreadable.length;
    } finally {
      for (const source of unreadable) renameSync(tree.path(`${source}-elsewhere`), tree.path(source));
    }
  }

  async function playRollback({ back, cutOffAt }: Extract<Step, { readonly kind: 'rollback' }>): Promise<void> {
    const recorded = [
      ...new Set((await readHistory(createDiskOutput(data))).flatMap(({ serial, previous }) => [serial, previous])),
    ];
    // an intermediate completed publication may be missing, and so may the number of one that was cut off before any
    // other
    const seen = recorded.filter((serial) => publications.has(serial));
    const to = seen[back] ?? seen.at(-1) ?? 1;
    const then = publications.get(to);
    await unlessRefused(orCutOff(recorded.length === 0 ? /Nothing was published yet/ : undefined), async () => {
      const report = await undergo(
        cutOffAt,
        () => rollBack({ to, dryRun: false }, request(data), effects),
        (state, key) => afterRollback(state, then?.get(key)),
      );
      tally.rolledBack += Number(report?.published ?? false);
    });
  }

  async function playLift(cutOffAt: number | undefined): Promise<void> {
    // after an interrupted step the model allows several states
    const isHeld = [...states.values()].some((list) => list.every(({ undone }) => undone !== undefined));
    await unlessRefused(
      orCutOff(isHeld && highest > 0 ? undefined : /No rollback is in effect|Nothing was published yet/),
      async () => {
        const report = await undergo(cutOffAt, () => liftRollbacks(request(data), effects), afterLift);
        if (report === undefined) return;
        isWhole = false;
        tally.lifted += 1;
      },
    );
  }

  async function playPrune({ keepDays, cutOffAt }: Extract<Step, { readonly kind: 'prune' }>): Promise<void> {
    await unlessRefused(orCutOff(highest === 0 ? /nothing to prune/ : undefined), async () => {
      // a pruned release may return with the same content only, so that nothing has changed for the model
      await undergo(
        cutOffAt,
        () => prune({ dataDirectory: data, keepForMs: keepDays * day, dryRun: false, actor: 'cli:test' }, effects.now),
        (state) => state,
      );
      tally.lost += locks.check(time - keepDays * day);
    });
  }

  async function playPurge({ pick, cutOffAt }: Extract<Step, { readonly kind: 'purge' }>): Promise<void> {
    const published = publishedRecords(data).filter(({ name }) => !name.endsWith('/steady'));
    const meant = published[pick % Math.max(1, published.length)];
    if (meant === undefined) return;
    const {
      name,
      version,
      description,
      dist: { reference },
    } = meant;
    const dev = version.startsWith('dev-');
    locks.purge({ name, version, reference });
    const order = {
      name: name as PackageName,
      version,
      reference: dev ? reference : undefined,
      reason: 'other' as const,
      dryRun: false,
      mirrored: [],
    };
    const purging = async (): Promise<{ readonly serial: number }> => {
      const outcome = await purgeVersion(order, { request: request(data), effects, waitMs: 0 });
      if (outcome.outcome === 'refused') throw new Error(outcome.message);
      return outcome;
    };
    const report = await undergo(cutOffAt, purging, (state, key) =>
      key === `${name}@${version}` ? afterPurge(state, description, dev) : state,
    );
    tally.purged += Number(report !== undefined);
  }

  async function expectPromises(): Promise<void> {
    if (!existsSync(`${data}/public/packages.json`)) return;
    expect(await verifyTree(data), 'I1–I6').toMatchObject({ ok: true, faults: [] });
    const [serial, announced] = [serialIn('build/manifest.json'), serialIn('index/_publication.json')];
    expect(serial, 'I6').toBeGreaterThanOrEqual(highest);
    highest = serial;
    const found = observe();
    for (const [key, list] of states)
      expect(
        list.map(({ published }) => published),
        key,
      ).toContainEqual(found.get(key));
    expect([...found.keys()].filter((key) => !states.has(key))).toEqual([]);
    if (serial === announced) {
      states = new Map(
        [...states].map(([key, list]) => [key, list.filter(({ published }) => published === found.get(key))]),
      );
      publications.set(serial, found);
    }
    locks.note(time);
    dates.note();
    locks.check();
  }

  const idle: Step = { kind: 'build', days: 0, cutOffAt: undefined, edits: [], unreadable: [] };
  const play = async (step: Step): Promise<void> => {
    time += step.days * day;
    if (step.kind === 'build') await playBuild(step);
    else if (step.kind === 'rollback') await playRollback(step);
    else if (step.kind === 'lift') await playLift(step.cutOffAt);
    else if (step.kind === 'purge') await playPurge(step);
    else await playPrune(step);
    await expectPromises();
  };

  return {
    play,
    end: async () => {
      await play(idle);
      expect((await build(request(data), effects)).published).toBe(false);
      const found = observe();
      if (
        found.size !== wanted.size ||
        [...wanted].some(([key, { content, spoilt }]) => spoilt || found.get(key) !== content)
      )
        return;
      mkdirSync(tree.path('clean'));
      await build(request(tree.path('clean')), effects);
      expect(publishedTree(data)).toEqual(publishedTree(tree.path('clean')));
      tally.clean += 1;
    },
    remove: () => tree.remove(),
  };
}

function isKilled(error: unknown): boolean {
  return error instanceof Killed || (error instanceof Error && isKilled(error.cause));
}
