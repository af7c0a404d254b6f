// The setting `features`: the features of the server in addition to packages.json, p2 and dist.

import type { Setting } from './setting.ts';
import { parseWords } from './setting-values.ts';

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
  parse: (raw) => parseWords(raw, isFeatureName),
  standard: () => featureNames,
  schema: { type: 'array', uniqueItems: true, items: { enum: featureNames } },
};
