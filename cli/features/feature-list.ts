// Every feature, with its check of `libretto doctor`. A server opens the features in this order, and loads the module
// of a feature only if the feature is enabled. Commands work without a server: they are in cli/program/.

import type { FeatureName } from '../config/feature-settings.ts';
import { CloseSteps } from '../core/close-steps.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { FeatureOffers, OpenFeature, ServedFeature } from './served-feature.ts';

/**
 * `packages`, `inspection`, `services` and `device` have no setting: they are opened if another feature requires them.
 */
export const features: readonly (ServedFeature & {
  readonly name: FeatureName | 'packages' | 'inspection' | 'services' | 'device';
})[] = [
  {
    name: 'repositories',
    requires: [],
    load: () => import('./repositories.ts'),
    checks: [
      {
        name: 'hook',
        advice: 'Look at the webhooks: `libretto repository hook ID`.',
        load: () => import('../doctor/hooks.ts'),
      },
    ],
  },
  { name: 'packages', requires: [], load: () => import('./packages.ts') },
  { name: 'inspection', requires: ['packages'], load: () => import('./inspection.ts') },
  {
    name: 'mirror',
    requires: [],
    load: () => import('./mirror.ts'),
    checks: [
      {
        name: 'upstream',
        advice: 'Look at the settings of the mirror: `libretto settings list`.',
        load: () => import('../doctor/upstreams.ts'),
      },
    ],
  },
  { name: 'search', requires: ['packages'], load: () => import('./search.ts') },
  { name: 'statistics', requires: ['packages'], load: () => import('./statistics.ts') },
  { name: 'feeds', requires: ['packages'], load: () => import('./atom.ts') },
  { name: 'changes', requires: [], load: () => import('./changes.ts') },
  { name: 'advisories', requires: [], load: () => import('./advisories.ts') },
  { name: 'hooks', requires: ['repositories'], load: () => import('./hooks.ts') },
  {
    name: 'services',
    requires: ['packages', 'repositories'],
    load: () => import('./services.ts'),
    checks: [
      {
        name: 'connection',
        advice: 'Look at the connections to forges: `libretto connection list`.',
        load: () => import('../doctor/connections.ts'),
      },
    ],
  },
  {
    name: 'notifications',
    requires: ['packages', 'services'],
    load: () => import('./notifications.ts'),
    checks: [
      {
        name: 'notification',
        advice: 'Look at the addresses that are notified of events: `libretto notify list`.',
        load: () => import('../doctor/notifications.ts'),
      },
    ],
  },
  { name: 'device', requires: [], load: () => import('./device.ts') },
  {
    name: 'api',
    requires: ['services', 'device'],
    load: () => import('./management.ts'),
    checks: [
      {
        name: 'publisher',
        advice: 'Look at the trusted publishers: `libretto publisher list`.',
        load: () => import('../doctor/publishers.ts'),
      },
      {
        name: 'localSignIn',
        advice: 'Look at the admins of this setting: `libretto user list`.',
        load: () => import('../doctor/local-sign-in.ts'),
      },
      {
        name: 'people',
        advice: 'Look at the people: `libretto user list`.',
        load: () => import('../doctor/ways-in.ts'),
      },
      {
        name: 'token',
        advice: 'Look at the tokens: `libretto token list`.',
        load: () => import('../doctor/foreign-tokens.ts'),
      },
    ],
  },
  {
    name: 'console',
    requires: ['services', 'inspection'],
    load: () => import('./console.ts'),
    checks: [
      {
        name: 'sso',
        advice: 'Look at "identityProviders" in libretto.json.',
        load: () => import('../doctor/identity-providers.ts'),
      },
    ],
  },
];

export interface OpenFeatures {
  readonly offers: FeatureOffers;
  readonly open: readonly OpenFeature[];
  /** Closes all of them, the last one first, even when one fails. */
  readonly close: () => Promise<void>;
}

/** Loads the modules of the enabled features, and opens nothing. */
export async function loadFeatures(names: readonly FeatureName[]): Promise<void> {
  await Promise.all(requiredBy(names).map(({ load }) => load()));
}

/** Opens the enabled features, and the features that they require. After a failure it closes those already open. */
export async function openFeatures(core: ServingCore, names: readonly FeatureName[]): Promise<OpenFeatures> {
  const open: OpenFeature[] = [];
  let offers: FeatureOffers = {};
  const closing = new CloseSteps();
  try {
    for (const { load } of requiredBy(names)) {
      const opened = (await load()).open(core, offers);
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

/** The wanted features, in the order of the list. */
function requiredBy(names: readonly string[]): readonly ServedFeature[] {
  const wanted = new Set<string>();
  const add = (name: string): void => {
    if (wanted.has(name)) return;
    wanted.add(name);
    for (const one of features.find((feature) => feature.name === name)?.requires ?? []) add(one);
  };
  for (const name of names) add(name);
  return features.filter(({ name }) => wanted.has(name));
}
