// The checksum at the end of a file of ours, over all bytes before it. `verify` checks it, so that no changed byte of
// the tree stays unnoticed. Builds check it only in the lists of purged and withdrawn versions: they accept any other
// file that was edited by hand.

import { createHash } from 'node:crypto';

/** `json`: the text of an object, `{…}` and perhaps a line feed. `sha256` becomes its last field. */
export function withChecksum(json: string): string {
  const body = json.slice(0, json.lastIndexOf('}')).trimEnd();
  return `${body},\n"sha256": "${digest(body)}"}\n`;
}

/** True if the text is, byte for byte, a result of withChecksum. */
export function isAsWritten(text: string): boolean {
  const end = checksumAt(text);
  return end > 0 && text.slice(end) === `,\n"sha256": "${digest(text.slice(0, end))}"}\n`;
}

/** For a list that older versions wrote without a checksum, and for one that people may write. */
export function hasWrongChecksum(text: string): boolean {
  return checksumAt(text) > 0 && !isAsWritten(text);
}

function checksumAt(text: string): number {
  return text.lastIndexOf(',\n"sha256": "');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
