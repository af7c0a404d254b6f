// The port to the purge of a version: the builder in a separate process or, on the command line, in this one.

import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject, JsonValue } from '../../build/contract/json.ts';
import { parsePurgeReason, type PurgeReason } from '../../build/contract/purged.ts';
import type { Actor } from '../state/audit.ts';
import { assertAccepted, makeReport, type BuildRunner } from '../sync/build-runner.ts';

export interface PurgeRequest {
  readonly name: string;
  readonly version: string;
  /** for a dev version: the one intended content; undefined: all */
  readonly reference: string | undefined;
  readonly reason: PurgeReason;
}

export interface PurgedContent {
  readonly name: string;
  readonly version: string;
  readonly version_normalized: string;
  readonly reference: string;
  /** the state before the purge; `purged`: by an earlier purge */
  readonly state: 'published' | 'superseded' | 'withdrawn' | 'mirrored' | 'purged';
}

export type AlikeContent = PurgedContent & {
  readonly state: 'published' | 'superseded' | 'withdrawn';
  /** the command that also purges it, as typed in a shell */
  readonly command: string;
};

export interface PurgeResult {
  readonly name: string;
  readonly version: string;
  readonly reason: PurgeReason;
  /** RFC 3339 UTC: of a version that was purged before, since then */
  readonly since: string;
  readonly serial: number;
  readonly contents: readonly PurgedContent[];
  /** contents that stay, with the same files in another archive */
  readonly alike: readonly AlikeContent[];
  /** below public/ */
  readonly files: readonly string[];
  readonly sources: readonly string[];
}

export interface VersionPurger {
  /** The effects of a purge, without a change. Throws RegistryError: NOT_FOUND. */
  readonly plan: (order: PurgeRequest) => Promise<PurgeResult>;
  /** A repeated call changes nothing. Throws RegistryError: NOT_FOUND or BUILD_BUSY. */
  readonly purge: (order: PurgeRequest) => Promise<PurgeResult>;
}

/** `actor`: whom the history names. */
export function createChildPurger(runner: BuildRunner, actor: Actor): VersionPurger {
  const run = async (
    { name, version, reference, reason }: PurgeRequest,
    flags: readonly string[],
  ): Promise<PurgeResult> => {
    // no version, and no word of a command line either
    if (version.startsWith('-'))
      throw new RegistryError('NOT_FOUND', { message: 'This version is not published here.' });
    const content = reference === undefined ? [] : ['--reference', reference];
    const all = ['--child', '--on-behalf-of', actor, ...flags, '--reason', reason, ...content];
    return readPurgeOutcome(makeReport(await runner.run(['package', 'purge', ...all, name, version])));
  };
  return { plan: (order) => run(order, ['--dry-run']), purge: (order) => run(order, []) };
}

/** Parses the builder's outcome. Throws RegistryError for a refusal, and Error for anything that is no outcome. */
export function readPurgeOutcome(report: JsonObject): PurgeResult {
  assertAccepted(report);
  const { outcome, name, version, reason: text, since, serial, contents, alike, files, sources } = report;
  const reason = typeof text === 'string' ? parsePurgeReason(text) : undefined;
  const lists = [contents, alike, files, sources].every((list) => Array.isArray(list));
  if (
    (outcome !== 'purged' && outcome !== 'planned') ||
    reason === undefined ||
    typeof name !== 'string' ||
    typeof version !== 'string' ||
    typeof since !== 'string' ||
    typeof serial !== 'number' ||
    !lists
  )
    throw new Error('the builder did not say what it purged');
  return {
    name,
    version,
    reason,
    since,
    serial,
    contents: rows(contents) as PurgedContent[],
    alike: rows(alike) as AlikeContent[],
    files: rows(files).map(String),
    sources: rows(sources).map(String),
  };
}

function rows(value: JsonValue | undefined): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
