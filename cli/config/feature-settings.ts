// The setting `features`: the features of the server in addition to packages.json, p2 and dist.

import type { Setting } from './setting.ts';

export const featureNames = [
  'api',
  'mirror',
  'search',
  'statistics',
  'feeds',
  'changes',
  'advisories',
  'repositories',
  'hooks',
  'notifications',
  'console',
] as const;
export type FeatureName = (typeof featureNames)[number];

const isFeatureName = (value: unknown): value is FeatureName => featureNames.some((name) => name === value);

export const featuresSetting: Setting<readonly FeatureName[]> = {
  key: 'features',
  flag: '--features <names>',
  variable: 'LIBRETTO_FEATURES',
  purpose: `what the server offers besides packages.json, p2 and dist: none, or any of ${featureNames.join(',')}`,
  allowed: `any of ${featureNames.join(', ')}, with commas between, or none (in libretto.json: a list)`,
  parse: parseFeatures,
  standard: () => featureNames,
  schema: { type: 'array', uniqueItems: true, items: { enum: featureNames } },
};

function parseFeatures(raw: unknown): readonly FeatureName[] | undefined {
  const parts: unknown =
    raw === 'none' ? [] : typeof raw === 'string' ? raw.split(',').map((part) => part.trim()) : raw;
  return Array.isArray(parts) && parts.every(isFeatureName) && new Set(parts).size === parts.length ? parts : undefined;
}
