// `<data>/feeds/standing.json`: how the last run of each feed ended. The process that asks the feeds writes it, so that
// every process can show it, and a new one knows since when a feed fails.

import { readFileSync } from 'node:fs';
import { hasWrongChecksum, withChecksum } from '../../build/contract/checksum.ts';
import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { replaceFile } from '../../build/shared/files/atomic-file.ts';

export interface RunStanding {
  /** of the last run */
  readonly triedAt: string;
  readonly failingSince: string | null;
  readonly problem: string | null;
}

export type RunStandings = ReadonlyMap<string, RunStanding>;

export const standingFile = 'standing.json';

export async function writeStandings(path: string, standings: RunStandings): Promise<void> {
  const feeds = Object.fromEntries(
    [...standings].map(([id, { triedAt, failingSince, problem }]) => [
      id,
      { tried_at: triedAt, failing_since: failingSince, problem },
    ]),
  );
  await replaceFile(path, [withChecksum(JSON.stringify({ format: 1, feeds }, null, 1))]);
}

/** Empty for a file that is missing, damaged, or cannot be read: the next run writes it again. */
export function readStandings(path: string): RunStandings {
  try {
    const text = readFileSync(path, 'utf8');
    const json: unknown = hasWrongChecksum(text) ? undefined : JSON.parse(text);
    const feeds = isJsonObject(json) && isJsonObject(json['feeds']) ? json['feeds'] : {};
    return new Map(
      Object.entries(feeds).flatMap(([id, value]): [string, RunStanding][] => {
        const standing = readOne(value);
        return standing === undefined ? [] : [[id, standing]];
      }),
    );
  } catch {
    return new Map(); // nothing depends on it, but what people see of the last run
  }
}

function readOne(value: JsonValue | undefined): RunStanding | undefined {
  const { tried_at: triedAt, failing_since: since = null, problem = null } = isJsonObject(value) ? value : {};
  if (typeof triedAt !== 'string' || Number.isNaN(Date.parse(triedAt))) return undefined;
  return {
    triedAt,
    failingSince: typeof since === 'string' ? since : null,
    problem: typeof problem === 'string' ? problem : null,
  };
}
