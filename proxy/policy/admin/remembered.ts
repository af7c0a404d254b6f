// Remembers an answer about all packages for some seconds, so that pages can have the last one at once.

import { setTimeout } from 'node:timers/promises';
import type { PackageName } from '../../../build/contract/name.ts';
import type { CurrentPolicy } from '../apply/current-policy.ts';
import type { PolicyReader } from '../apply/policy-reader.ts';

/** Reading all lists takes seconds in a large registry. */
const rememberedMs = 10_000;
const momentMs = 700;
/** A page waits a moment for a newer answer than this. */
const currentMs = 60_000;

/** A change of the policy, or of a list that its rules read, counts at once. */
export function remembered<Found>(
  { reader, now }: { readonly reader: PolicyReader; readonly now: () => number },
  read: (nowMs: number) => Promise<Found>,
) {
  let last: { readonly of: CurrentPolicy; readonly untilMs: number; readonly found: Promise<Found> } | undefined;
  let known: { readonly of: CurrentPolicy; readonly atMs: number; readonly all: Found } | undefined;
  const latest = async (): Promise<Found> => {
    const of = await reader.current(now());
    const atMs = now();
    if (last?.of !== of || atMs >= last.untilMs) {
      const found = read(atMs);
      last = { of, untilMs: atMs + rememberedMs, found };
      const forget = () => (known = last = undefined); // the caller gets the error
      found.then((all) => (known = { of, atMs, all }), forget);
    }
    return last.found;
  };
  const isCurrent = async (): Promise<boolean> =>
    known !== undefined && now() < known.atMs + currentMs && known.of === (await reader.current(now()));
  const moment = async (waitMs: number): Promise<undefined> =>
    setTimeout((await isCurrent().catch(() => false)) ? waitMs : momentMs, undefined, { ref: false });
  return {
    now: latest,
    soon: async (waitMs = momentMs) =>
      (await Promise.race([latest().catch(() => undefined), moment(waitMs)])) ?? known?.all,
  };
}

/** Remembers what `read` found for an object of the published tree, which a publication replaces, for a minute. */
export function rememberedOf<Found>(
  { reader }: { readonly reader: PolicyReader },
  read: (name: PackageName, nowMs: number) => Promise<Found>,
) {
  const known = new WeakMap<
    object,
    { readonly of: CurrentPolicy; readonly atMs: number; readonly found: Promise<Found> }
  >();
  return async (published: { readonly name: PackageName }, nowMs: number): Promise<Found> => {
    const of = await reader.current(nowMs);
    const last = known.get(published);
    if (last?.of === of && nowMs < last.atMs + currentMs) return last.found;
    const found = read(published.name, nowMs);
    known.set(published, { of, atMs: nowMs, found });
    found.catch(() => known.delete(published));
    return found;
  };
}
