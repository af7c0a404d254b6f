// Marks in the mirror's folder that the server reads its tree from an origin. The data folder alone then names no
// private package. A command on the same host may not know the origin, and must not conclude that no name is private.

import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { replaceFile } from '../../build/shared/files/atomic-file.ts';
import { isAbsence } from '../../build/shared/files/file-stamp.ts';
import type { Config } from '../config/config.ts';
import { mirrorFolder } from './compose-mirror.ts';

type OriginSettings = Pick<Config, 'data' | 'origin'>;

/** For the server: records its present origin. */
export async function markOrigin(config: OriginSettings): Promise<void> {
  if (config.origin.value === undefined) await rm(pathOf(config), { force: true });
  else await replaceFile(pathOf(config), [`${config.origin.value.url}\n`]);
}

/** The origin that the last server here served; undefined: it served the data folder. */
export function markedOrigin(config: OriginSettings): string | undefined {
  try {
    return readFileSync(pathOf(config), 'utf8').trim();
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function pathOf(config: OriginSettings): string {
  return join(mirrorFolder(config), 'origin.txt');
}
