// The composition root of what pages show of the published versions, and that otherwise only commands know.

import { join } from 'node:path';

import { listArchivedFiles, mostListedEntries } from '../../build/inspect/archive-files.ts';
import { createComparison } from '../../proxy/inspection/comparison.ts';
import type { Inspection } from '../../proxy/inspection/inspection.ts';
import type { PublishedFiles } from '../../proxy/tree/published-files.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { inspectionElsewhere } from './elsewhere.ts';
import { createRecordedPublications } from './recorded-publications.ts';
import { createWhyReader } from './why-reader.ts';

export interface InspectionParts {
  readonly published: PublishedFiles;
}

export function composeInspection(
  config: Config,
  context: Pick<Context, 'environment' | 'workingDirectory'>,
  { published }: InspectionParts,
): Inspection {
  if (config.origin.value !== undefined) return inspectionElsewhere;
  const dataDirectory = config.data.value;
  return {
    publications: createRecordedPublications(dataDirectory, published),
    why: createWhyReader(config, context),
    comparison: createComparison({
      published,
      listFiles: (path) => listArchivedFiles(join(dataDirectory, 'public', path)),
      mostEntries: mostListedEntries,
    }),
  };
}
