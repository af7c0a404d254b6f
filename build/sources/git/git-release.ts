// A version of a git repository as a release: everything known without reading, everything else read when asked for.

import { parseReference } from '../../contract/digest.ts';
import type { JsonObject } from '../../contract/json.ts';
import { parseDistLabel } from '../../contract/paths.ts';
import { isDevVersion, normalizeVersion } from '../../contract/version.ts';
import { QuarantineError } from '../quarantine.ts';
import type { Release } from '../release.ts';
import { checkedComposerJson } from './composer-file.ts';
import { gitContent } from './git-content.ts';
import type { Outcome } from './outcome.ts';
import type { ReadAhead } from './read-ahead.ts';
import type { RefReader } from './read-ref.ts';

type ReleaseOutcome = Extract<Outcome, { readonly kind: 'release' }>;

interface ReleasePlace {
  /** for people */
  readonly where: string;
  readonly defaultBranch: boolean;
}

/** undefined where a remembered outcome does not hold under today's rules. */
export function gitRelease(reader: RefReader, readAhead: ReadAhead, outcome: ReleaseOutcome, { where, defaultBranch }: ReleasePlace): Release | undefined {
  const normalized = normalizeVersion(outcome.version);
  const label = parseDistLabel(outcome.version);
  const reference = parseReference(outcome.commit);
  if (normalized === undefined || 'refusal' in label || reference === undefined) return undefined;
  const { commit, name } = outcome;
  const composerJson = (): Promise<JsonObject> => readComposerJson(reader, commit, where);
  return {
    name,
    version: label.label,
    normalized,
    dev: isDevVersion(normalized),
    reference,
    time: outcome.authorTime === null ? undefined : formatTime(outcome.authorTime),
    defaultBranch,
    where,
    composerJson,
    content: gitContent(reader.store, { commit, composerJson, entryTime: outcome.committerTime, readAhead }),
  };
}

async function readComposerJson(reader: RefReader, commit: string, where: string): Promise<JsonObject> {
  const json = await reader.composerFiles.read(commit, where);
  if (json === undefined) throw new QuarantineError('BROKEN_OBJECT', 'composer.json was there a moment ago and is no longer.');
  return checkedComposerJson(json, reader.defaultName).json;
}

/** As PHP's DATE_RFC3339 in UTC. undefined for a time no clock has shown. */
function formatTime(seconds: number): string | undefined {
  return seconds > maxSeconds ? undefined : `${new Date(seconds * 1000).toISOString().slice(0, 19)}+00:00`;
}

/** The end of the year 9999. */
const maxSeconds = 253_402_300_799;
