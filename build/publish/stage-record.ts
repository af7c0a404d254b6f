// The record of a publication, staged with it: the record is written before any file that readers see changes.

import type { PackageResult } from '../package/package-stage.ts';
import type { ReplacedDocument, Placement } from '../output/publication.ts';
import type { Run } from './run.ts';
import { formatRecord, formerPath, historyFormat, recordPath, type PublicationRecord } from '../history/record.ts';

export interface StagedHistory {
  readonly record: Placement;
  readonly kept: readonly ReplacedDocument[];
}

export async function stageRecord(
  run: Run,
  results: readonly PackageResult[],
  serial: number,
  now: Date,
): Promise<StagedHistory> {
  const found = results.flatMap(({ history }) => history ?? []);
  const packages = found.map(({ change }) => change).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const record: PublicationRecord = {
    format: historyFormat,
    serial,
    previous: run.pending.announced,
    published_at: now.toISOString(),
    by: run.by ?? null,
    rollback_to: run.rollback?.to ?? null,
    sources: sourcesOf(run, packages),
    packages,
  };
  return {
    record: { file: await run.output.stage(formatRecord(record)), path: recordPath(serial) },
    kept: found.flatMap(({ kept }) =>
      kept.map(({ area, path, digest }) => ({ area, from: path, to: formerPath(serial, digest) })),
    ),
  };
}

function sourcesOf({ choice, tree }: Run, packages: PublicationRecord['packages']): PublicationRecord['sources'] {
  const locations = new Map(
    [...tree.sources, ...choice.left.map(({ spec }) => spec), ...choice.read.map(({ spec }) => spec)].map(
      ({ id, location }) => [id, location],
    ),
  );
  const named = new Set(
    packages.flatMap(({ added, changed, withdrawn }) =>
      [...added, ...changed, ...withdrawn].map(({ source }) => source),
    ),
  );
  return Object.fromEntries(
    [...named].toSorted().flatMap((id) => (locations.has(id) ? [[id, locations.get(id) ?? id]] : [])),
  );
}
