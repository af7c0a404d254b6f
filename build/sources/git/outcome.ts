// The outcome of one tag or branch, and its row in the builder's memory. A build reads a ref again only after the ref
// has moved. Rows are short, since a repository may have thousands.

import { parseSha1 } from '../../contract/digest.ts';
import { isJsonObject, type JsonValue } from '../../contract/json.ts';
import { parsePackageName, type PackageName } from '../../contract/name.ts';
import type { QuarantineCode } from '../../contract/quarantine.ts';
import type { InlineDist } from '../package/inline-record.ts';
import { recipe } from './refs.ts';
import { parseSigner, type Signer } from '../../contract/signer.ts';

export type RefOutcome =
  | {
      readonly kind: 'release';
      /** the folder of the package; '' is the repository's root */
      readonly folder: string;
      readonly commit: string;
      readonly name: PackageName;
      /** the name in its own composer.json, if that differs from the default branch's */
      readonly formerName: PackageName | undefined;
      readonly version: string;
      /** epoch seconds: of its composer.json, else of the commit's author */
      readonly time: number | null;
      readonly committerTime: number;
      readonly submodules: boolean;
      /** the dist that its composer.json names, and the SHA-256 of its ZIP once that was fetched */
      readonly dist?: InlineDist & { readonly sha256?: string };
      /** the blob of its composer.json, if this build has read it: saves a second lookup. Not remembered. */
      readonly composerFile?: string;
    }
  /** skipped by Composer's rules; a sentence for the report */
  | { readonly kind: 'skipped'; readonly notice: string }
  | {
      readonly kind: 'quarantined';
      readonly folder: string;
      readonly code: QuarantineCode;
      readonly message: string;
      readonly name: string | null;
      readonly version: string | null;
      /** the fault may disappear although no ref moves. Not remembered. */
      readonly passing?: true;
    };

type Release = Extract<RefOutcome, { readonly kind: 'release' }>;

export interface RefOutcomes {
  /** the object id in the ref */
  readonly oid: string;
  /** one for each package of the ref, or a single one for a ref that was not read */
  readonly outcomes: readonly RefOutcome[];
}

export interface GitMemory {
  /** the options of the source (selection.ts): data read with other options is read again */
  readonly variant: string;
  /** the name that the default branch gave to all versions of the package in each folder */
  readonly names: ReadonlyMap<string, PackageName>;
  /** `t <tag>` or `b <branch>`, as binary strings → ref */
  readonly refs: ReadonlyMap<string, RefOutcomes>;
  /** undefined: the registry knew no signers */
  readonly signatures?: TagSignatures | undefined;
}

/**
 * `{recipe, variant, names: [[folder, name]], refs: [[key, oid, kind, …]]}`, a row for each outcome. Default values are
 * omitted or 0: a name equal to the folder's, a commit equal to the oid (an annotated tag's differs), flags and further
 * names at the end of a row. With signers also `signatures`: `{signers, tags: [[name, oid,
 * signer]]}`, with 0 in place of a signer for a tag without a signature that counts.
 */
export function formatGitMemory({ variant, names, refs, signatures }: GitMemory): JsonValue {
  const rows = Array.from(refs, ([key, { oid, outcomes }]) =>
    outcomes.map((outcome): JsonValue => [key, oid, ...formatOutcome(outcome, oid, names)]),
  ).flat();
  return {
    recipe,
    variant,
    names: Array.from(names, ([folder, name]) => [folder, name]),
    refs: rows,
    ...(signatures === undefined ? {} : { signatures: formatSignatures(signatures) }),
  };
}

function formatOutcome(outcome: RefOutcome, oid: string, names: GitMemory['names']): JsonValue[] {
  if (outcome.kind === 'skipped') return ['s', outcome.notice];
  const { folder } = outcome;
  if (outcome.kind === 'quarantined')
    return ['q', outcome.code, outcome.message, outcome.name, outcome.version, ...(folder === '' ? [] : [folder])];
  const { commit, name, version, time, committerTime } = outcome;
  return [
    'r',
    commit === oid ? 0 : commit,
    name === names.get(folder) ? 0 : name,
    version,
    time,
    committerTime === time ? null : committerTime,
    ...endOfRow(outcome),
  ];
}

/** The fields at the end of a row, without those that have the default value. */
function endOfRow({ folder, submodules, formerName, dist }: Release): JsonValue[] {
  if (dist !== undefined) {
    const { url, reference, shasum = null, sha256 = null } = dist;
    return [folder, submodules ? 1 : 0, formerName ?? null, [url, reference, shasum, sha256]];
  }
  if (formerName !== undefined) return [folder, submodules ? 1 : 0, formerName];
  if (submodules) return [folder, 1];
  return folder === '' ? [] : [folder];
}

/** undefined for a memory of another version of Libretto, so that everything is read again. */
export function parseGitMemory(detail: JsonValue | undefined): GitMemory | undefined {
  if (!isJsonObject(detail)) return undefined;
  const { variant, names: namePairs, refs: rows } = detail;
  if (detail['recipe'] !== recipe) return undefined;
  if (typeof variant !== 'string' || !Array.isArray(namePairs) || !Array.isArray(rows)) return undefined;
  const names = parseNames(namePairs as readonly JsonValue[]);
  if (names === undefined) return undefined;
  const refs = new Map<string, { readonly oid: string; readonly outcomes: RefOutcome[] }>();
  for (const row of rows as readonly JsonValue[]) {
    const parsed = parseRow(row, names);
    if (parsed === undefined) return undefined;
    const known = refs.get(parsed.key);
    if (known === undefined) refs.set(parsed.key, { oid: parsed.oid, outcomes: [parsed.outcome] });
    else known.outcomes.push(parsed.outcome);
  }
  return { variant, names, refs, signatures: parseSignatures(detail['signatures']) };
}

function parseNames(pairs: readonly JsonValue[]): Map<string, PackageName> | undefined {
  const names = new Map<string, PackageName>();
  for (const pair of pairs) {
    const [folder, text] = Array.isArray(pair) ? (pair as readonly JsonValue[]) : [];
    const name = typeof text === 'string' ? parsePackageName(text) : undefined;
    if (typeof folder !== 'string' || name === undefined) return undefined;
    names.set(folder, name);
  }
  return names;
}

function parseRow(
  row: JsonValue,
  names: GitMemory['names'],
): { readonly key: string; readonly oid: string; readonly outcome: RefOutcome } | undefined {
  if (!Array.isArray(row)) return undefined;
  const [key, oid, kind, ...rest] = row as readonly JsonValue[];
  if (typeof key !== 'string' || typeof oid !== 'string') return undefined;
  const outcome = parseOutcome(kind, rest, oid, names);
  return outcome === undefined ? undefined : { key, oid, outcome };
}

function parseOutcome(
  kind: JsonValue | undefined,
  fields: readonly JsonValue[],
  oid: string,
  names: GitMemory['names'],
): RefOutcome | undefined {
  switch (kind) {
    case 's':
      return parseSkipped(fields);
    case 'q':
      return parseQuarantined(fields);
    case 'r':
      return parseRelease(fields, oid, names);
    default:
      return undefined;
  }
}

function parseSkipped([notice]: readonly JsonValue[]): RefOutcome | undefined {
  return typeof notice === 'string' ? { kind: 'skipped', notice } : undefined;
}

function parseQuarantined([code, message, name = null, version = null, folder = '']: readonly JsonValue[]):
  | RefOutcome
  | undefined {
  if (typeof code !== 'string' || typeof message !== 'string' || typeof folder !== 'string') return undefined;
  if ((name !== null && typeof name !== 'string') || (version !== null && typeof version !== 'string'))
    return undefined;
  return { kind: 'quarantined', folder, code: code as QuarantineCode, message, name, version };
}

function parseRelease(
  [commit, name, version, time, committerTime, folder = '', submodules = 0, former, dist]: readonly JsonValue[],
  oid: string,
  names: GitMemory['names'],
): RefOutcome | undefined {
  if (typeof folder !== 'string' || typeof version !== 'string') return undefined;
  if (time === undefined || (time !== null && typeof time !== 'number')) return undefined;
  const parsedName = typeof name === 'string' ? parsePackageName(name) : names.get(folder);
  const committed = committerTime === null ? time : committerTime;
  if (parsedName === undefined || typeof committed !== 'number') return undefined;
  const formerName = typeof former === 'string' ? parsePackageName(former) : undefined;
  return {
    kind: 'release',
    folder,
    commit: typeof commit === 'string' ? commit : oid,
    name: parsedName,
    formerName,
    version,
    time,
    committerTime: committed,
    submodules: submodules === 1,
    ...(Array.isArray(dist) ? { dist: parseDist(dist as readonly JsonValue[]) } : {}),
  };
}

function parseDist([url, reference, shasum, sha256]: readonly JsonValue[]): NonNullable<Release['dist']> {
  const sha1 = typeof shasum === 'string' ? parseSha1(shasum) : undefined;
  const fetched = typeof sha256 === 'string' ? { sha256 } : {};
  return { url: String(url), remote: true, reference: String(reference), shasum: sha1, ...fetched };
}

/** The judged tags, in the builder's memory. */
export interface TagSignatures {
  /** digest of the lists of signers */
  readonly signers: string;
  /** name of an annotated tag, a binary string → what was judged; null: no signature that counts */
  readonly tags: ReadonlyMap<string, { readonly oid: string; readonly signer: Signer | null }>;
}

function formatSignatures({ signers, tags }: TagSignatures): JsonValue {
  return { signers, tags: Array.from(tags, ([name, { oid, signer }]) => [name, oid, signer ?? 0]) };
}

/** undefined for a foreign or damaged value: all signatures are then judged again. */
function parseSignatures(value: JsonValue | undefined): TagSignatures | undefined {
  if (!isJsonObject(value)) return undefined;
  const { signers, tags: rows } = value;
  if (typeof signers !== 'string' || !Array.isArray(rows)) return undefined;
  const tags = new Map<string, { readonly oid: string; readonly signer: Signer | null }>();
  for (const row of rows as readonly JsonValue[]) {
    const [name, oid, text] = Array.isArray(row) ? (row as readonly JsonValue[]) : [];
    const signer = text === 0 ? null : typeof text === 'string' ? parseSigner(text) : undefined;
    if (typeof name !== 'string' || typeof oid !== 'string' || signer === undefined) return undefined;
    tags.set(name, { oid, signer });
  }
  return { signers, tags };
}
