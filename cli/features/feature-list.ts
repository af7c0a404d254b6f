// Every feature of the server, in the order in which they are opened. Each is a module of its own that `open` loads.

import type { FeatureName } from '../config/feature-settings.ts';
import { CloseSteps } from '../core/close-steps.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { Offers, OpenFeature, ServedFeature } from './served-feature.ts';

/** `packages` has no name for operators: it is opened where another feature wants it. */
const features: readonly (ServedFeature & { readonly name: FeatureName | 'packages' })[] = [
  {
    name: 'packages',
    wants: [],
    open: async (core) => (await import('./packages.ts')).openPackages(core),
  },
  { name: 'mirror', wants: [], open: async (core) => (await import('./mirror.ts')).openMirror(core) },
  {
    name: 'search',
    wants: ['packages'],
    open: async (_, offers) => (await import('./search.ts')).openSearch(offers),
  },
  {
    name: 'statistics',
    wants: ['packages'],
    open: async (core, offers) => (await import('./statistics.ts')).openStatistics(core, offers),
  },
  {
    name: 'advisories',
    wants: [],
    open: async (core, offers) => (await import('./advisories.ts')).openAdvisories(core, offers),
  },
  {
    name: 'repositories',
    wants: [],
    open: async (core) => (await import('./repositories.ts')).openRepositories(core),
  },
  {
    name: 'api',
    wants: ['packages', 'repositories'],
    open: async (core, offers) => (await import('./management.ts')).openManagement(core, offers),
  },
];

export interface OpenFeatures {
  readonly offers: Offers;
  readonly open: readonly OpenFeature[];
  /** Closes all of them, the last one first, even when one fails. */
  readonly close: () => Promise<void>;
}

/** Opens those that are switched on, and what they want. Where one fails, those before it are closed. */
export async function openFeatures(core: ServingCore, names: readonly FeatureName[]): Promise<OpenFeatures> {
  const wanted = wantedBy(names);
  const open: OpenFeature[] = [];
  let offers: Offers = {};
  const closing = new CloseSteps();
  try {
    for (const feature of features.filter(({ name }) => wanted.has(name))) {
      const opened = await feature.open(core, offers);
      open.push(opened);
      if (opened.close !== undefined) closing.add(opened.close);
      offers = { ...offers, ...opened.offers };
    }
  } catch (error) {
    await closing.run();
    throw error;
  }
  return { offers, open, close: () => closing.run() };
}

function wantedBy(names: readonly string[]): ReadonlySet<string> {
  const wanted = new Set<string>();
  const add = (name: string): void => {
    if (wanted.has(name)) return;
    wanted.add(name);
    for (const one of features.find((feature) => feature.name === name)?.wants ?? []) add(one);
  };
  for (const name of names) add(name);
  return wanted;
}
