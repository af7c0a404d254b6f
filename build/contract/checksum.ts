// A checksum that a file of ours carries at its end, over all that stands before it. Builds and readers do not look at it: a file that was changed by hand
// is still read. `verify` does, so that no byte of the tree can turn over unseen.

import { createHash } from 'node:crypto';

/** `json`: the text of an object, `{…}` and perhaps a line feed. Its last field is then `sha256`. */
export function withChecksum(json: string): string {
  const body = json.slice(0, json.lastIndexOf('}')).trimEnd();
  return `${body},\n"sha256": "${digest(body)}"}\n`;
}

/** Whether this is, byte for byte, what withChecksum once gave. */
export function isAsWritten(text: string): boolean {
  const end = text.lastIndexOf(',\n"sha256": "');
  return end > 0 && text.slice(end) === `,\n"sha256": "${digest(text.slice(0, end))}"}\n`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
