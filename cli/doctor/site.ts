// Checks whether the catalogue of the setting `site` shows the present publication.

import type { Config } from '../config/config.ts';
import { isShown, readShown } from '../site/shown-publication.ts';
import { siteFolder } from '../site/site-folder.ts';
import { readLastPublication } from '../tree/published-tree.ts';
import { ok, warning, type Finding } from './finding.ts';

/** Returns no finding without the setting, and before the first publication. Throws UsageError for an unsafe folder. */
export function checkSite({ site, data, origin }: Config): readonly Finding[] {
  const publication = readLastPublication(data.value);
  if (site.value === undefined || origin.value !== undefined || publication === undefined) return [];
  const shown = readShown(siteFolder(site.value, data.value));
  if (isShown(shown, publication))
    return [ok('site', `The catalogue in ${site.value} shows publication ${publication.serial}`)];
  return [
    warning(
      'site',
      shown === undefined
        ? `There is no complete catalogue in ${site.value}.`
        : `The catalogue in ${site.value} shows publication ${shown.serial}, and ${publication.serial} is published.`,
      'A running server with the setting `site` writes it within a minute. `libretto site` writes it now, and names ' +
        'what prevents it.',
    ),
  ];
}
