// The command that purges one content, for messages. For a branch it names the content by its reference, so that the
// clean contents stay. Pure.

import type { PurgeReason } from '../contract/purged.ts';
import { isDevVersion } from '../contract/version.ts';
import { quoteForShell } from '../shared/text/quote-for-shell.ts';

export interface ContentToPurge {
  readonly name: string;
  readonly version: string;
  readonly version_normalized: string;
  readonly reference: string;
}

/** Returns the command as typed in a shell. */
export function purgeCommand(
  { name, version, version_normalized: normalized, reference }: ContentToPurge,
  reason: PurgeReason,
): string {
  const content = isDevVersion(normalized) && reference !== '' ? ` --reference ${reference.slice(0, 12)}` : '';
  return `libretto package purge ${name} ${quoteForShell(version)} --reason ${reason}${content}`;
}
