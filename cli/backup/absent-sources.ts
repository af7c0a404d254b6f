// Names the sources that a restored or moved data folder does not have at their recorded place.

import { existsSync } from 'node:fs';
import { createDiskOutput } from '../../build/output/disk-output.ts';
import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';
import { absentSources } from '../../build/scan/moved-sources.ts';

/** One line each: the place where the next build reads the source, or the advice to name it. */
export async function describeAbsentSources(dataDirectory: string): Promise<readonly string[]> {
  const absent = await absentSources(createDiskOutput(dataDirectory), dataDirectory);
  return absent.map(({ path, former }) =>
    former !== undefined && existsSync(former)
      ? `The next build reads the source ${former} where it is.`
      : `The source ${former ?? path} is not here. Name its new place: \`libretto build --relocate ${quoteForShell(`${former ?? path}=NEW_PATH`)}\`.`,
  );
}
