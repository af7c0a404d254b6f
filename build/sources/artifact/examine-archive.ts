// Decides if one ZIP has to be opened. A ZIP with an unchanged and reliable stamp stays closed. Any fault quarantines
// this ZIP alone.

import { createHash } from 'node:crypto';
import { lstatSync, type BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import { admitZip, type AdmittedZip } from '../../archive/zip-admission/admit-zip.ts';
import { quoteName } from '../../archive/safe-paths.ts';
import { checkComposerJson } from '../../record/check-composer-json.ts';
import { packageNameOf } from '../../record/package-name.ts';
import { releaseTimeOf } from '../../record/release-time.ts';
import { maxComposerJsonBytes, parseComposerJson } from '../../record/parse-composer-json.ts';
import { describeFault } from '../../files/file-fault.ts';
import { isSettled, stampOf, touchedAt } from '../../files/file-stamp.ts';
import { changedWhileRead } from '../../files/read-file.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import type { ArchiveState, ArtifactFacts, ArchiveRefusal } from './artifact-memory.ts';
import { artifactVersion } from './artifact-version.ts';
import { descriptionSuffix } from './described-zip.ts';
import { isCredential } from '../../archive/rules/credentials.ts';

export interface ExaminedArchive {
  readonly known: ArchiveState;
  /** remarks on names in it; of a ZIP that was opened in this scan only */
  readonly remarks: readonly string[];
}

/** An archive of the folder; its paths are absolute. */
export interface ArchiveFiles {
  readonly path: string;
  /** the composer.json beside it, if it has one */
  readonly description: string | undefined;
  /** the path of its ZIP, which may be the archive itself */
  readonly zip: () => Promise<string>;
}

/** `scanStart`: epoch milliseconds. */
export async function examineArchive(
  { path, description, zip }: ArchiveFiles,
  scanStart: number,
  known: ArchiveState | undefined,
): Promise<ExaminedArchive> {
  let found: Identity = known === undefined ? { name: null, version: null } : identityOf(known);
  let stamp = '';
  try {
    const look = fileStates(path, description);
    if (known !== undefined && known.stamp !== '' && known.stamp === look.stamp) return { known, remarks: [] };
    stamp = isSettled(look.touched, scanStart) ? look.stamp : '';
    const admitted = await admitZip(await zip());
    if (fileStates(path, description).stamp !== look.stamp) throw changedWhileRead(path);
    const artifact = readArtifact(path, admitted, (learnt) => (found = learnt));
    return {
      known: { stamp, outcome: { artifact } },
      remarks: remarksOnNames(admitted.paths, admitted.root),
    };
  } catch (error) {
    if (!(error instanceof QuarantineError)) throw error;
    const refusal: ArchiveRefusal = { code: error.code, message: error.message, ...found };
    // a read error may disappear although the file looks unchanged
    return { known: { stamp: error.code === 'UNREADABLE_FILE' ? '' : stamp, outcome: { refusal } }, remarks: [] };
  }
}

export interface Identity {
  readonly name: string | null;
  readonly version: string | null;
}

/** The identity that a former ZIP had. A new ZIP that cannot be identified counts as the same version. */
export function identityOf({ outcome }: ArchiveState): Identity {
  const { name, version } = 'artifact' in outcome ? outcome.artifact : outcome.refusal;
  return { name, version };
}

interface FileState {
  readonly stamp: string;
  readonly touched: number;
}

/** The state of an archive changes with that of its description. */
function fileStates(path: string, description: string | undefined): FileState {
  const own = fileState(path);
  if (description === undefined) return own;
  const other = fileState(description);
  return { stamp: `${own.stamp} ${other.stamp}`, touched: Math.max(own.touched, other.touched) };
}

function fileState(path: string): FileState {
  const stats = statsOf(path);
  if (stats.isSymbolicLink())
    throw new QuarantineError(
      'UNSAFE_SYMLINK',
      `${path} is a symbolic link. Replace it with the file itself: the target of a link can change without a ` +
        'change in this folder.',
    );
  return { stamp: stampOf(stats), touched: touchedAt(stats) };
}

function statsOf(path: string): BigIntStats {
  if (path.includes('\u{FFFD}'))
    throw new QuarantineError(
      'UNSAFE_PATH',
      `The name of ${JSON.stringify(path)} is not valid UTF-8. Rename the file.`,
    );
  try {
    return lstatSync(path, { bigint: true });
  } catch (error) {
    throw new QuarantineError('UNREADABLE_FILE', `${path} cannot be read: ${describeFault(error)}.`, { cause: error });
  }
}

/** Throws QuarantineError. `learn` receives each fact as soon as it is known. */
function readArtifact(path: string, zip: AdmittedZip, learn: (found: Identity) => void): ArtifactFacts {
  const composerPath = `${zip.root}composer.json`;
  const bytes = composerJsonIn(zip);
  const json = parseComposerJson(bytes, `${composerPath} in ${path}`);
  const name = packageNameOf(json);
  learn({ name, version: null });
  const { version, normalized } = artifactVersion(json, name, basename(path));
  learn({ name, version });
  checkComposerJson(json);
  return {
    name,
    version,
    normalized,
    sha256: zip.sha256,
    composerPath,
    composerHash: createHash('sha256').update(bytes).digest('hex'),
    time: releaseTimeOf(json['time']),
  };
}

/** Throws QuarantineError INVALID_COMPOSER_JSON for an archive without one that can be read. */
export function composerJsonIn({ composerJson, root, paths }: AdmittedZip): Buffer {
  if (composerJson !== undefined) return composerJson;
  throw new QuarantineError(
    'INVALID_COMPOSER_JSON',
    paths.includes(`${root}composer.json`)
      ? `${root}composer.json in the archive is larger than ${maxComposerJsonBytes} bytes, the most a composer.json ` +
          'may have, or no file.'
      : `The archive has no composer.json at its top or in its only top folder.${whereElse(paths)} Pack the package's ` +
          'own folder, and nothing beside it. For a bought plugin, write a composer.json beside its ZIP: PLUGIN.zip ' +
          `needs PLUGIN${descriptionSuffix}.`,
  );
}

/** The Finder of macOS adds `__MACOSX`. Composer would install the package one folder too deep. */
function whereElse(paths: readonly string[]): string {
  const elsewhere = paths.find((path) => path.endsWith('/composer.json'));
  const beside = paths.some((path) => path.startsWith('__MACOSX/'))
    ? ' The folder "__MACOSX" of the Finder is in the way: remove it with zip -d FILE "__MACOSX/*".'
    : '';
  return elsewhere === undefined ? beside : ` ${quoteName(elsewhere)} is somewhere else.${beside}`;
}

// Names in an artifact that its maker should know of, although they hurt no unpacker of Composer. An artifact is
// published unchanged.

const notOnWindows = /[<>:"|?*]|(?:^|\/)(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:[. ][^/]*)?(?:\/|$)/i;
const remarks: readonly (readonly [isMeant: (path: string) => boolean, remark: string])[] = [
  [
    isCredential,
    'which by its name may be a credential. An artifact is published unchanged: if the file is a credential, pack the ' +
      'archive again without it.',
  ],
  [(path) => /(?:^|\/)\.git(?:\/|$)/i.test(path), 'where git runs hooks and settings. Pack the archive without it.'],
  [(path) => notOnWindows.test(path), 'which is no name of a file on Windows. Rename it.'],
  [
    (path) => /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(path),
    'which is shown in another order than it is written. Rename it.',
  ],
];

/** The first path of each kind stands for all. `root`: the folder of the package, with its slash. */
export function remarksOnNames(paths: readonly string[], root: string): readonly string[] {
  return remarks.flatMap(([isMeant, remark]) => {
    const [first, ...others] = paths.filter((path) => isMeant(path.slice(root.length)));
    if (first === undefined) return [];
    const shown = first.replaceAll(
      /[^ -~]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    return [`${shown}${others.length === 0 ? '' : ` and ${others.length} more`}, ${remark}`];
  });
}
