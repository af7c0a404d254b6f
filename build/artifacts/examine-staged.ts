// Determines the package and the version of a staged ZIP, or the reason why the ZIP cannot be published. The ZIP is
// untrusted: zip-admission checks the file before any of its contents are used.

import { admitZip } from '../archive/zip-admission/admit-zip.ts';
import { artifactPath } from '../contract/artifact-files.ts';
import type { Reference } from '../contract/digest.ts';
import type { ErrorCode } from '../contract/errors.ts';
import type { JsonObject } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import type { DistLabel } from '../contract/paths.ts';
import { isDevVersion, type NormalizedVersion } from '../contract/version.ts';
import { checkComposerJson } from '../record/check-composer-json.ts';
import { packageNameOf } from '../record/package-name.ts';
import { parseComposerJson } from '../record/parse-composer-json.ts';
import { artifactVersion } from '../sources/artifact/artifact-version.ts';
import { composerJsonIn } from '../sources/artifact/examine-archive.ts';
import { checkedLabel, declaredVersion, type CheckedLabel } from '../sources/checked-label.ts';
import { QuarantineError, type QuarantineCode } from '../contract/quarantine.ts';
import { archiveReference } from '../archive/zip-admission/ready-archive.ts';
import { refused, type RefusedArtifact } from './outcome.ts';

/** The claims of the sender about the artifact. */
export interface StagedArtifact {
  /** absolute */
  readonly path: string;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** the content that a person approved; undefined: any */
  readonly reference?: string | undefined;
  /** refuses packages that the sender may not publish; undefined: none */
  readonly objection?: ((name: PackageName) => RefusedArtifact | undefined) | undefined;
}

export interface ExaminedArtifact {
  readonly name: PackageName;
  readonly version: DistLabel;
  readonly normalized: NormalizedVersion;
  readonly dev: boolean;
  readonly sha256: string;
  readonly reference: Reference;
  /** below the folder of artifacts */
  readonly file: string;
}

/** `prepare`: whatever has to be done with the file before. */
export async function examineStaged(
  staged: StagedArtifact,
  prepare: (path: string) => Promise<void> = () => Promise.resolve(),
): Promise<ExaminedArtifact | RefusedArtifact> {
  try {
    await prepare(staged.path);
    const zip = await admitZip(staged.path);
    const json = parseComposerJson(composerJsonIn(zip), `${zip.root}composer.json in the archive`);
    const name = packageNameOf(json);
    if (staged.name !== undefined && staged.name.toLowerCase() !== name)
      return refused(
        'ARTIFACT_MISMATCH',
        `composer.json names the package ${name}, but it was sent as ` +
          `${JSON.stringify(staged.name.slice(0, 200))}. Use the same name in both.`,
        { name },
      );
    const objection = staged.objection?.(name);
    if (objection !== undefined) return objection;
    const label = versionOf(json, staged.version);
    if ('outcome' in label) return label;
    checkComposerJson(json);
    const { version, normalized } = label;
    checkContent(staged, archiveReference(zip.sha256));
    const file = artifactPath(name, version);
    checkFile(file, json, name, label);
    return {
      name,
      version,
      normalized,
      dev: isDevVersion(normalized),
      sha256: zip.sha256,
      reference: archiveReference(zip.sha256),
      file,
    };
  } catch (error) {
    if (error instanceof QuarantineError)
      return refuseAsBuild(error.code, error.message.replaceAll(staged.path, 'the archive'));
    throw error;
  }
}

/** Throws QuarantineError if it is not the content that a person approved. */
function checkContent({ reference: approved }: StagedArtifact, reference: Reference): void {
  if (approved !== undefined && approved !== reference)
    throw new QuarantineError('ARCHIVE_MISMATCH', 'The stored ZIP has changed. Reject it, and upload it again.');
}

function versionOf(json: JsonObject, given: string | undefined): CheckedLabel | RefusedArtifact {
  const declared = declaredVersion(json['version'], 'composer.json');
  if (declared === undefined && given === undefined) {
    return refused(
      'ARTIFACT_INVALID',
      'The version is unknown. Write "version" into composer.json, or give it when you publish: in the ' +
        'field of the page, with --version 1.2.0, or with ?version=1.2.0 in the address of an upload.',
      { reason: 'VERSION_MISSING' },
    );
  }
  const sent = given === undefined ? undefined : checkedLabel(given, 'The version to publish is');
  if (declared === undefined && sent !== undefined) return sent;
  const written = checkedLabel(declared ?? '', '"version" in composer.json is');
  if (sent === undefined || sent.normalized === written.normalized) return written;
  return refused(
    'ARTIFACT_MISMATCH',
    `composer.json has version ${written.version}, but it was sent as ${sent.version}. Use the same version in ` +
      'both, or omit one.',
    { version: written.version },
  );
}

/** Builds must read the same version out of the file's name. Throws QuarantineError. */
function checkFile(file: string, json: JsonObject, name: PackageName, { normalized }: CheckedLabel): void {
  const last = file.slice(file.lastIndexOf('/') + 1);
  if (Buffer.byteLength(last) > 255)
    throw new QuarantineError(
      'UNSAFE_PATH',
      'Package and version together are too long for the name of a file. Choose a shorter version.',
    );
  if (artifactVersion(json, name, last).normalized !== normalized)
    throw new QuarantineError(
      'VERSION_INVALID',
      'The version cannot be kept in the name of a file. Write it as "version" into composer.json, without "%2F".',
    );
}

/** The answer's code for the reason why a build would leave a version out. */
export function refuseAsBuild(reason: QuarantineCode, message: string): RefusedArtifact {
  return refused(codes[reason] ?? 'ARTIFACT_INVALID', message, { reason });
}

const codes: Partial<Record<QuarantineCode, ErrorCode>> = {
  ARCHIVE_UNSAFE: 'ARCHIVE_UNSAFE',
  UNSAFE_SYMLINK: 'ARCHIVE_UNSAFE',
  VERSION_MISMATCH: 'ARTIFACT_MISMATCH',
  VERSION_CHANGED: 'VERSION_EXISTS',
  DUPLICATE_VERSION: 'VERSION_EXISTS',
};
