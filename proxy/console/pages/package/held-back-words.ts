// Why versions of other registries are held back, in words. Pure.

import type { WithheldVersions } from '../../../mirror/catalogue/cached-summary.ts';
import { formatCount } from '../../components/values.tsx';

/** By the name of the setting. Other names are those of rules, which people choose. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['mirroring.licenses', 'by licence'],
  ['mirroring.abandoned', 'because the package is abandoned'],
  ['mirroring.minimum_age', 'because of the minimum age'],
  ['purged', 'because they were purged here'],
]);

/** `3 versions by licence`, `1 version by the rule age` */
export function heldBackPhrase({ setting, count }: WithheldVersions): string {
  const reason = setting === null ? 'that cannot be mirrored' : (reasons.get(setting) ?? `by the rule ${setting}`);
  return `${formatCount(count, 'version')} ${reason}`;
}

/** The same as a sentence without its end: `1 version is left out by the rule age`. undefined: no rule of the policy. */
export function leftOutByRule({ setting, count }: WithheldVersions): string | undefined {
  if (setting === null || reasons.has(setting)) return undefined;
  return `${formatCount(count, 'version is', 'versions are')} left out by the rule ${setting}`;
}

/** True for a setting that a person can change. */
export function isOfSetting({ setting }: WithheldVersions): boolean {
  return setting !== null && setting.startsWith('mirroring.');
}

/** The case of the newest version, in a sentence. */
export function newestCase({ version, because }: WithheldVersions): string {
  return `${version}: ${because.replace(/\.$/, '')}.`;
}
