// The judged signatures of tags in the builder's memory: `{signers, tags: [[name, oid, signer]]}`, with 0 in place of a
// signer for a tag without a signature that counts.

import { isJsonObject, type JsonValue } from '../../contract/json.ts';
import { parseSigner, type Signer } from '../../contract/signer.ts';

/** The judged tags, in the builder's memory. */
export interface TagSignatures {
  /** digest of the lists of signers */
  readonly signers: string;
  /** name of an annotated tag, a binary string → what was judged; null: no signature that counts */
  readonly tags: ReadonlyMap<string, { readonly oid: string; readonly signer: Signer | null }>;
}

export function formatSignatures({ signers, tags }: TagSignatures): JsonValue {
  return { signers, tags: Array.from(tags, ([name, { oid, signer }]) => [name, oid, signer ?? 0]) };
}

/** undefined for a foreign or damaged value: all signatures are then judged again. */
export function parseSignatures(value: JsonValue | undefined): TagSignatures | undefined {
  if (!isJsonObject(value)) return undefined;
  const { signers, tags: rows } = value;
  if (typeof signers !== 'string' || !Array.isArray(rows)) return undefined;
  const tags = new Map<string, { readonly oid: string; readonly signer: Signer | null }>();
  for (const row of rows as readonly JsonValue[]) {
    const [name, oid, text] = Array.isArray(row) ? (row as readonly JsonValue[]) : [];
    const signer = text === 0 ? null : typeof text === 'string' ? parseSigner(text) : undefined;
    if (typeof name !== 'string' || typeof oid !== 'string' || signer === undefined) return undefined;
    tags.set(name, { oid, signer });
  }
  return { signers, tags };
}
