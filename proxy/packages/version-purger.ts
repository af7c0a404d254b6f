// The port to the purge of a version: the builder in a separate process or, on the command line, in this one.

import { z } from 'zod';
import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import { purgeReasons, type PurgeReason } from '../../build/contract/purged.ts';
import type { Actor } from '../state/audit.ts';
import type { Fixed } from '../state/rows.ts';
import { makeReport, readOutcome, type BuildRunner } from '../sync/build-runner.ts';

export interface PurgeRequest {
  readonly name: string;
  readonly version: string;
  /** for a dev version: the one intended content; undefined: all */
  readonly reference: string | undefined;
  readonly reason: PurgeReason;
}

const purgedContent = z.object({
  name: z.string(),
  version: z.string(),
  version_normalized: z.string(),
  reference: z.string(),
  /** the state before the purge; `purged`: by an earlier purge */
  state: z.enum(['published', 'superseded', 'withdrawn', 'mirrored', 'purged']),
});

const alikeContent = purgedContent.extend({
  state: z.enum(['published', 'superseded', 'withdrawn']),
  /** the command that also purges it, as typed in a shell */
  command: z.string(),
});

const purgeResult = z.object({
  name: z.string(),
  version: z.string(),
  reason: z.enum(purgeReasons),
  /** RFC 3339 UTC: of a version that was purged before, since then */
  since: z.string(),
  serial: z.number(),
  contents: z.array(purgedContent),
  /** contents that stay, with the same files in another archive */
  alike: z.array(alikeContent),
  /** below public/ */
  files: z.array(z.string()),
  sources: z.array(z.string()),
});
export type PurgeResult = Fixed<z.output<typeof purgeResult>>;

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
  return readOutcome(purgeResult, report);
}
