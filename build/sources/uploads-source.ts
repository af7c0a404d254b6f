// The source of uploads: the folder of artifacts in the data folder.

import { join } from 'node:path';
import { artifactsFolder } from '../contract/artifact-files.ts';
import { parseSource } from './spec.ts';

/** Id of the source in this data folder. */
export function uploadsId(dataDirectory: string): string {
  return parseSource(`artifact:${join(dataDirectory, artifactsFolder)}`, dataDirectory, dataDirectory).id;
}
