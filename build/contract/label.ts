// The conditions of a publishable version label, for every kind of source.

import { parseConstraint } from './constraint.ts';
import { normalizeVersion, type NormalizedVersion } from './version.ts';

/**
 * The reason why this label does not fit this normalized version, as the continuation of the label; undefined if it
 * fits. Clients trust `version_normalized` blindly but parse the label again from their lock file, and `self.version`
 * turns it into a constraint.
 */
export function labelRefusal(version: string, normalized: NormalizedVersion): string | undefined {
  const meant = normalizeVersion(version);
  if (meant === undefined) return 'is not a version Composer accepts';
  if (meant !== normalized) return `means ${meant} to Composer, not ${normalized}`;
  if ('refusal' in parseConstraint(version)) return 'is not valid in a version constraint, so nobody could require it';
  return undefined;
}
