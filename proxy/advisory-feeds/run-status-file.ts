// `<data>/feeds/standing.json`: how the last run of each feed ended, and the packages that it has not answered about.
// The process that asks the feeds writes it, so that every process can show it, and a new one goes on from there.

import { readFileSync } from 'node:fs';
import { hasWrongChecksum, withChecksum } from '../../build/contract/checksum.ts';
import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { replaceFile } from '../../build/shared/files/atomic-file.ts';

export interface RunStatus {
  /** of the last run; null: there was none */
  readonly triedAt: string | null;
  readonly failingSince: string | null;
  readonly problem: string | null;
  /** the packages that were asked about, or should be, and have no answer yet */
  readonly waiting: readonly PackageName[];
}

export const neverTried: RunStatus = { triedAt: null, failingSince: null, problem: null, waiting: [] };

export type RunStatuses = ReadonlyMap<string, RunStatus>;

export const statusFile = 'standing.json';

export async function writeRunStatuses(path: string, statuses: RunStatuses): Promise<void> {
  const feeds = Object.fromEntries(
    [...statuses].map(([id, { triedAt, failingSince, problem, waiting }]) => [
      id,
      { tried_at: triedAt, failing_since: failingSince, problem, ...(waiting.length === 0 ? {} : { waiting }) },
    ]),
  );
  await replaceFile(path, [withChecksum(JSON.stringify({ format: 1, feeds }, null, 1))]);
}

/** Empty for a file that is missing, damaged, or cannot be read: the next run writes it again. */
export function readRunStatuses(path: string): RunStatuses {
  try {
    const text = readFileSync(path, 'utf8');
    const json: unknown = hasWrongChecksum(text) ? undefined : JSON.parse(text);
    const feeds = isJsonObject(json) && isJsonObject(json['feeds']) ? json['feeds'] : {};
    return new Map(
      Object.entries(feeds).flatMap(([id, value]): [string, RunStatus][] => {
        const status = readOne(value);
        return status === undefined ? [] : [[id, status]];
      }),
    );
  } catch {
    return new Map(); // nothing depends on it, but what people see of the last run
  }
}

function readOne(value: JsonValue | undefined): RunStatus | undefined {
  if (!isJsonObject(value)) return undefined;
  const { tried_at: triedAt = null, failing_since: since = null, problem = null, waiting = [] } = value;
  if (triedAt !== null && (typeof triedAt !== 'string' || Number.isNaN(Date.parse(triedAt)))) return undefined;
  return {
    triedAt,
    failingSince: typeof since === 'string' ? since : null,
    problem: typeof problem === 'string' ? problem : null,
    waiting: Array.isArray(waiting) ? waiting.flatMap((name) => parsePackageName(String(name)) ?? []) : [],
  };
}
