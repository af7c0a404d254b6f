// The composer.json of one package folder: read, parsed, and known by its hash.

import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { JsonObject } from '../../contract/json.ts';
import { checkComposerJson } from '../../record/check-composer-json.ts';
import { parseComposerJson, type NoteRepeated } from '../../record/parse-composer-json.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { maxRulesBytes } from './limits.ts';
import type { Pause } from '../../files/pause.ts';
import { changedWhileRead, readUnchanged } from '../../files/read-file.ts';
import type { WalkedEntry } from './walk-package.ts';

export interface ComposerJson {
  readonly json: JsonObject;
  /** lower-case hex SHA-256 of its bytes */
  readonly hash: string;
  /** Throws QuarantineError for a value that makes a client fail. */
  readonly check: () => void;
}

/** `entry`: the entry of composer.json from the walk, if there was a walk. Throws QuarantineError. */
export async function readComposerJson(
  folder: string,
  pause: Pause,
  entry: WalkedEntry | undefined,
  noteRepeated?: NoteRepeated,
): Promise<ComposerJson> {
  const path = join(folder, 'composer.json');
  if (entry?.fault !== undefined) throw entry.fault;
  if (entry?.kind === 'symlink')
    throw new QuarantineError(
      'UNSAFE_SYMLINK',
      `${path} is a symbolic link. Replace it with the file itself: the target of a link can change without a ` +
        'change in this folder.',
    );
  if (entry !== undefined && entry.bytes > maxRulesBytes)
    throw new QuarantineError('INVALID_COMPOSER_JSON', `${path} is larger than 1 MiB.`);
  const bytes = await readUnchanged(
    path,
    { maxBytes: maxRulesBytes, ...(entry === undefined ? {} : { stamp: entry.stamp }) },
    pause,
  );
  const json = parseComposerJson(bytes, path, noteRepeated);
  return { json, hash: hash('sha256', bytes, 'hex'), check: () => checkComposerJson(json) };
}

/**
 * The same composer.json again, parsed and checked. Throws QuarantineError UNREADABLE_FILE if the file no longer has
 * the expected hash.
 */
export async function rereadComposerJson(
  folder: string,
  expected: string,
  pause: Pause,
  noteRepeated?: NoteRepeated,
): Promise<JsonObject> {
  const found = await readComposerJson(folder, pause, undefined, noteRepeated);
  if (found.hash !== expected) throw changedWhileRead(join(folder, 'composer.json'));
  found.check();
  return found.json;
}
