// The version a git tag becomes (VcsRepository.php, the loop over tags).

import type { VersionOrSkip } from './branch.ts';
import { normalizeVersion } from './version.ts';

const devSuffix = /[.-]?dev\n?$/i;
const devAffix = /^dev-|[.-]?dev\n?$/gi;

/**
 * `v1.2.0` → `v1.2.0`, `release-1.0` → `1.0`. If that commit's composer.json has a `version` with the same meaning,
 * that text is the label. Every other tag is skipped, with the reason. If two tags have one version, the caller
 * decides: the first counts.
 */
export function tagVersion(tag: string, versionInComposerJson?: string): VersionOrSkip {
  const name = tag.replaceAll('release-', '');
  const tagged = normalizeVersion(name);
  if (tagged === undefined) return { skip: `tag ${tag}: it is not a version Composer accepts` };
  const declared = versionInComposerJson === undefined ? tagged : normalizeVersion(versionInComposerJson);
  if (declared === undefined)
    return {
      skip: `tag ${tag}: the version "${versionInComposerJson ?? ''}" in its composer.json is not one Composer accepts`,
    };
  const version = (versionInComposerJson ?? name).replace(devSuffix, '');
  if (declared.replace(devAffix, '') === tagged) return { version, normalized: tagged };
  if (tagged.replace(devAffix, '') !== tagged)
    return { skip: `tag ${tag}: a tag cannot be a dev version; use a branch for it` };
  return {
    skip:
      `tag ${tag}: the version "${versionInComposerJson ?? ''}" in its composer.json means another version ` +
      `(${declared}, the tag ${tagged}); correct it or, better, remove it`,
  };
}
