// Checks that the folder of uploads has the ZIP of each published upload. A build withdraws uploads without a ZIP, and
// the registry refuses uploads while the folder has no ZIP at all.

import { join } from 'node:path';

import { artifactsFolder } from '../../build/contract/artifact-files.ts';
import { readPublishedUploads } from '../../build/artifacts/published-uploads.ts';
import { counted } from '../io/output.ts';
import { failed, ok, type Finding } from './finding.ts';

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
