// The reason why a build leaves one version out while all other versions are published.

export type QuarantineCode =
  | 'INVALID_JSON'
  | 'INVALID_COMPOSER_JSON'
  | 'NAME_MISSING'
  | 'NAME_INVALID'
  | 'VERSION_INVALID'
  | 'VERSION_MISMATCH'
  | 'VERSION_CHANGED'
  | 'DUPLICATE_VERSION'
  | 'CONSTRAINT_INVALID'
  | 'UNSAFE_PATH'
  | 'UNSAFE_SYMLINK'
  | 'UNREADABLE_FILE'
  | 'BROKEN_OBJECT'
  | 'EMPTY_ARCHIVE'
  | 'ARCHIVE_UNSAFE'
  | 'ARCHIVE_UNREADABLE'
  | 'ARCHIVE_MISMATCH'
  | 'RECORD_INVALID'
  | 'INVALID_DIST'
  | 'DIST_MISMATCH'
  | 'UNREACHABLE_DIST'
  | 'EGRESS_DENIED';

export interface Quarantine {
  readonly code: QuarantineCode;
  /** a sentence for people: the fault and the repair */
  readonly message: string;
  /** the place: a file with its line, or a tag or branch of a repository */
  readonly where: string;
  /** null if the fault occurred before the name was known */
  readonly name: string | null;
  readonly version: string | null;
}

/** Thrown while one release is read; caught by the build, which leaves that version out. */
export class QuarantineError extends Error {
  readonly code: QuarantineCode;

  constructor(code: QuarantineCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'QuarantineError';
    this.code = code;
  }
}
