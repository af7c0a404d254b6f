// Reviews the archives of two releases: what the second can newly do, by its composer.json, its files and its code.
// Nothing of a package is run. A hostile archive costs the limits below, and what they leave out is a finding. Pure.

import { isJsonObject, type JsonObject } from '../contract/json.ts';
import { compareText } from '../shared/text/compare-text.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { capabilitiesOf } from './capabilities.ts';
import { codeFindings } from './code-findings.ts';
import { growthOf, programIn, type ArchiveFiles } from './file-findings.ts';
import { compareFindings, findingKey, type Finding, type Found } from './finding.ts';
import { differenceOf, type CapabilityDifference } from './gained-capabilities.ts';
import { hiddenCode } from './hidden-code.ts';
import { loadedFiles } from './loaded-files.ts';
import { isComplete, phpTokens } from './php-tokens.ts';

/** Raised with each change of a rule: answers of other rules are not used again. */
export const reviewRules = 2;

const most = { files: 20_000, bytes: 64 * 1024 * 1024, fileBytes: 8 * 1024 * 1024, codeBytes: 1024 * 1024 } as const;
const mostFindings = 500;
const code = /\.(?:php\d?|phtml|inc|phps|module|install|profile|theme|engine)$/i;
const prose = /\.(?:md|rst|txt|adoc|html?|xml|json|ya?ml|neon|twig)$/i;

export interface ArchiveReview {
  readonly kind: 'review';
  readonly rules: number;
  readonly capabilities: CapabilityDifference;
  /** the gravest first */
  readonly findings: readonly Finding[];
  /** number of findings that are not listed */
  readonly left: number;
}

interface Side {
  readonly files: ArchiveFiles;
  readonly composer: JsonObject | undefined;
  readonly isLoaded: (path: string) => boolean;
  /** once for each path */
  readonly read: (path: string) => Buffer | undefined;
  readonly unread: Map<string, string>;
}

export function reviewArchives(before: ArchiveFiles, after: ArchiveFiles): ArchiveReview {
  const [old, now] = [sideOf(before), sideOf(after)];
  const changed = [...after.keys()].filter((path) => !isSame(path, old, now)).toSorted(compareText);
  const moved = [...after.keys()].filter((path) => now.isLoaded(path) && !old.isLoaded(path));
  const candidates = new Map<string, Finding>();
  const isKnown = createKnownBytes(old);
  const programs = changed.flatMap((path) => programAt(path, now, isKnown));
  for (const finding of loadedFirst(new Set([...changed, ...moved]), now).flatMap((path) => findingsAt(path, now)))
    if (!candidates.has(findingKey(finding))) candidates.set(findingKey(finding), finding);
  const unread = [...now.unread].map(([file, detail]): Finding => {
    const isWhole = file === '';
    return { kind: 'unread', detail, line: null, file: isWhole ? null : file, loaded: isWhole || now.isLoaded(file) };
  });
  const found = [...unread, ...programs, ...growthOf(before, after), ...withoutKnown(candidates, old)];
  const capabilities = [old, now].map(({ composer }) => capabilitiesOf(composer ?? {}));
  return {
    kind: 'review',
    rules: reviewRules,
    capabilities: differenceOf(capabilities[0] ?? [], capabilities[1] ?? []),
    findings: found.toSorted(compareFindings).slice(0, mostFindings),
    left: Math.max(0, found.length - mostFindings),
  };
}

function sideOf(files: ArchiveFiles): Side {
  const unread = new Map<string, string>();
  const kept = new Map<string, Buffer | undefined>();
  let bytes = 0;
  const readNow = (path: string): Buffer | undefined => {
    const file = files.get(path);
    if (file === undefined) return undefined;
    bytes += file.size;
    const [isLarge, isMuch] = [file.size > most.fileBytes, kept.size >= most.files || bytes > most.bytes];
    if (isMuch) unread.set('', `more than ${most.files} files or ${most.bytes >> 20} MiB`);
    else if (isLarge) unread.set(path, `more than ${most.fileBytes >> 20} MiB`);
    if (isMuch || isLarge) return undefined;
    try {
      return file.read();
    } catch {
      unread.set(path, 'damaged or encrypted');
      return undefined;
    }
  };
  const read = (path: string): Buffer | undefined => {
    if (!kept.has(path)) kept.set(path, readNow(path));
    return kept.get(path);
  };
  const composer = composerIn(read('composer.json'));
  return { files, composer, isLoaded: loadedFiles(composer), read, unread };
}

function composerIn(bytes: Buffer | undefined): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(bytes?.toString('utf8') ?? '{}');
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** By the bytes: a CRC is forged easily. */
function isSame(path: string, old: Side, now: Side): boolean {
  const [one, other] = [old.files.get(path), now.files.get(path)];
  if (one?.size !== other?.size || one?.crc32 !== other?.crc32) return false;
  if ((one?.size ?? 0) > most.fileBytes) return true; // none of it is read
  const [bytes, others] = [old.read(path), now.read(path)];
  return bytes !== undefined && others !== undefined && bytes.equals(others);
}

/** The same bytes under another name are nothing new. */
function programAt(path: string, now: Side, isKnown: (bytes: Buffer) => boolean): readonly Finding[] {
  const bytes = now.read(path);
  const found = bytes === undefined ? undefined : programIn(path, bytes);
  return bytes === undefined || found === undefined || isKnown(bytes)
    ? []
    : [{ ...found, file: path, loaded: now.isLoaded(path) }];
}

/** Whether a file has these bytes. Reads those of their size once: an archive may have thousands of programs. */
function createKnownBytes({ files, read }: Side): (bytes: Buffer) => boolean {
  const ofSize = new Map<number, string[]>();
  for (const [path, { size }] of files) if (ofSize.get(size)?.push(path) === undefined) ofSize.set(size, [path]);
  const known = new Set<string>();
  return (bytes) => {
    for (const path of ofSize.get(bytes.length) ?? []) known.add(digestOf(read(path) ?? bytes.subarray(0, 0)));
    ofSize.delete(bytes.length);
    return known.has(digestOf(bytes));
  };
}

function loadedFirst(paths: Iterable<string>, { isLoaded }: Side): readonly string[] {
  const all = [...paths];
  return [...all.filter(isLoaded), ...all.filter((path) => !isLoaded(path))];
}

function findingsAt(path: string, side: Side): readonly Finding[] {
  const bytes = side.read(path);
  if (bytes === undefined) return [];
  const isCode = code.test(path) || (!prose.test(path) && bytes.includes('<?php'));
  return isCode ? codeOf(path, bytes, side).map((one) => ({ ...one, file: path, loaded: side.isLoaded(path) })) : [];
}

function codeOf(path: string, bytes: Buffer, { unread }: Side): readonly Found[] {
  if (bytes.length > most.codeBytes) {
    unread.set(path, `PHP of more than ${most.codeBytes >> 20} MiB`);
    return [];
  }
  const text = bytes.toString('utf8');
  const tokens = phpTokens(text);
  if (tokens === undefined || !isComplete(tokens)) unread.set(path, 'no PHP that can be parsed');
  return tokens === undefined ? [] : [...codeFindings(tokens), ...hiddenCode(text, tokens)];
}

/** Reads the files of the release before until everything is known. What only its tests did is new to its code. */
function withoutKnown(candidates: Map<string, Finding>, old: Side): readonly Finding[] {
  for (const path of loadedFirst(old.files.keys(), old)) {
    if (candidates.size === 0) break;
    for (const finding of findingsAt(path, old)) {
      const key = findingKey(finding);
      if (finding.loaded || candidates.get(key)?.loaded === false) candidates.delete(key);
    }
  }
  return [...candidates.values()];
}
