// The extra fields of a ZIP entry (APPNOTE 4.5, Info-ZIP's extrafld.txt). Three of them can make one unpacker see
// another name, kind or size than the next one; all others are of no interest.

import { unreadableEntry, unsafeEntry } from './zip-refusals.ts';

export interface ExtraField {
  readonly id: number;
  readonly data: Buffer;
}

const zip64 = 0x0001;
const unicodePath = 0x7075;
/** holds a mode and a symlink's target that only some unpackers obey */
const asiUnix = 0x756e;
const decisive: ReadonlySet<number> = new Set([zip64, unicodePath, asiUnix]);

/**
 * The extra fields of a local header. Up to three bytes may remain, because tools that align entries pad with them.
 * Throws QuarantineError.
 */
export function parseExtraFields(bytes: Buffer, name: string): ExtraField[] {
  const fields: ExtraField[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const end = at + 4 + bytes.readUInt16LE(at + 2);
    if (end > bytes.length) throw unreadableEntry(name, 'has a damaged extra field');
    fields.push({ id: bytes.readUInt16LE(at), data: bytes.subarray(at + 4, end) });
    at = end;
  }
  return fields;
}

/** Throws QuarantineError ARCHIVE_UNSAFE for a field with which the entry would have two names or two kinds. */
export function checkExtraFields(fields: readonly ExtraField[], nameBytes: Buffer, name: string): void {
  const found = fields.filter(({ id }) => decisive.has(id));
  if (new Set(found.map(({ id }) => id)).size < found.length) throw unsafeEntry(name, 'has the same extra field twice');
  for (const { id, data } of found) {
    if (id === asiUnix)
      throw unsafeEntry(name, 'has an extra field (0x756e) that some unpackers read as another file type');
    // some unpackers obey a name of any version, and an empty one
    if (id === unicodePath && !data.subarray(5).equals(nameBytes)) {
      throw unsafeEntry(
        name,
        `has a second name in an extra field: ${JSON.stringify(data.subarray(5, 205).toString('utf8'))}`,
      );
    }
  }
}

/** The ZIP64 field, if there is one. */
export function zip64Field(fields: readonly ExtraField[]): Buffer | undefined {
  return fields.find(({ id }) => id === zip64)?.data;
}
