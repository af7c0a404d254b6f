// The two refusals of a foreign ZIP: it could harm or deceive the person who unpacks it, or unpackers would read it
// differently.

import { QuarantineError } from '../../contract/quarantine.ts';
import { quoteName } from '../safe-paths.ts';

const packAgain = 'Pack the archive again from the original files, with a standard tool.';

/** `fault` follows "The archive", e.g. `holds 30000 entries`. */
export function unsafeArchive(fault: string): QuarantineError {
  return new QuarantineError('ARCHIVE_UNSAFE', `The archive ${fault}. ${packAgain}`);
}

/** `fault` follows the entry's name. */
export function unsafeEntry(name: string, fault: string): QuarantineError {
  return new QuarantineError('ARCHIVE_UNSAFE', `The archive's entry ${quoteName(name)} ${fault}. ${packAgain}`);
}

export function unreadableArchive(fault: string, cause?: unknown): QuarantineError {
  return new QuarantineError('ARCHIVE_UNREADABLE', `The archive ${fault}. ${packAgain}`, { cause });
}

export function unreadableEntry(name: string, fault: string, cause?: unknown): QuarantineError {
  return new QuarantineError('ARCHIVE_UNREADABLE', `The archive's entry ${quoteName(name)} ${fault}. ${packAgain}`, {
    cause,
  });
}
