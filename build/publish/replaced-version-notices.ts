// Writes the notices about folders whose package got another version. A folder has one version of a package, so the
// former one is no longer offered, which people do not expect of a release. Pure.

import type { BuildReport } from '../contract/build-report.ts';
import type { PackageResult, VersionOf } from '../package/package-stage.ts';
import type { ScannedSource } from '../scan/scan.ts';
import { listShortly } from '../shared/text/list-shortly.ts';

/** A line for each folder with such packages. */
export function replacedVersionNotices(
  scanned: readonly ScannedSource[],
  results: readonly PackageResult[],
): BuildReport['notices'] {
  const folders = scanned.filter(({ chosen }) => chosen.spec.place.kind === 'directory');
  return folders.flatMap(({ chosen: { spec } }) => {
    const ofThis = ({ source }: VersionOf): boolean => source === spec.id;
    const replaced = results.flatMap(({ name, added, withdrawn }) => {
      const [next, former] = [added.find(ofThis), withdrawn.find(ofThis)];
      return next === undefined || former === undefined ? [] : [`${name} ${next.version} replaces ${former.version}`];
    });
    if (replaced.length === 0) return [];
    const message =
      `${listShortly(replaced)}. A folder has one version of a package. To offer older releases too, publish the tags ` +
      'of a git repository, or upload each release with `libretto publish`. Lock files keep their archives.';
    return [{ source: spec.location, message }];
  });
}
