// The checks of what builds leave: how the last build ended, the ZIPs of published uploads, and the catalogue of the
// setting `site`.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lastBuildPath, parseLastBuild } from '../../build/contract/last-build.ts';
import { counted } from '../io/output.ts';
import { warning, type Finding, failed, ok } from './finding.ts';
import { artifactsFolder } from '../../build/contract/artifact-files.ts';
import { readPublishedUploads } from '../../build/artifacts/published-uploads.ts';
import type { Config } from '../config/config.ts';
import { isShown, readShown } from '../site/shown-publication.ts';
import { siteFolder } from '../site/site-folder.ts';
import { readLastPublication } from '../tree/published-tree.ts';

/** No finding without a fault: a build that never ran is the check `tree`. */
export async function checkLastBuild(dataDirectory: string): Promise<readonly Finding[]> {
  const text = await readFile(join(dataDirectory, lastBuildPath), 'utf8').catch(() => undefined);
  const last = text === undefined ? undefined : parseLastBuild(text);
  if (last === undefined) return [];
  const advice = 'Run `libretto build`: it names the reason.';
  if (last.outcome === 'failed')
    return [warning('build', `The last build (${last.finished_at}) failed. What was published before stays.`, advice)];
  if (last.failed_sources === 0) return [];
  const sources = counted(last.failed_sources, 'source');
  return [warning('build', `The last build (${last.finished_at}) could not read ${sources}.`, advice)];
}

// Checks that the folder of uploads has the ZIP of each published upload. A build withdraws uploads without a ZIP, and
// the registry refuses uploads while the folder has no ZIP at all.

/** Returns no finding for a registry without uploads. */
export async function checkUploads(dataDirectory: string): Promise<readonly Finding[]> {
  const uploads = await readPublishedUploads(dataDirectory);
  if (uploads === undefined || uploads.published === 0) return [];
  const { source, published, missing, others } = uploads;
  const folder = join(dataDirectory, artifactsFolder);
  const lost = missing.length - others;
  if (lost <= 0) return [ok('uploads', `${folder} has the ZIPs of ${counted(published, 'published upload')}`)];
  const named = others > 0 ? '' : `: ${missing.slice(0, 3).join(', ')}${lost > 3 ? ', …' : ''}`;
  return [
    failed(
      'uploads',
      `${folder} lacks the ZIPs of ${counted(lost, 'published upload')}${named}. Clients install them, but a build ` +
        'withdraws them.',
      'Mount the folder, or restore it from a backup. To withdraw all uploads: ' +
        `\`libretto build --forget ${source}\`.`,
    ),
  ];
}

// Checks whether the catalogue of the setting `site` shows the present publication.

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
