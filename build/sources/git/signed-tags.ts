// Who signed the tags of a repository. A signature counts for the version of its tag: the signed object names the tag,
// and leads to the commit of the version. A tag is judged once for each list of signers; the builder's memory keeps the
// result.

import type { Signer } from '../../contract/signer.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { runBatch } from '../../shared/concurrency/batch.ts';
import type { ObjectStore } from './object-store.ts';
import type { RefOutcome, TagSignatures } from './outcome.ts';
import type { RefKind } from './read-ref.ts';
import type { Ref } from './refs.ts';
import type { SignatureKind } from './objects.ts';
import type { TagVerifier } from './tag-verifier.ts';

export interface JudgedTags {
  readonly signatures: TagSignatures;
  /** signatures that could not be judged here: a later build has to try again */
  readonly unverified: number;
}

export interface SignatureOptions {
  readonly store: ObjectStore;
  readonly verifier: TagVerifier;
}

interface TaggedVersion {
  readonly ref: Ref;
  readonly commit: string;
}

/** Each signature takes three processes, one after another. */
const judgedAtOnce = 4;

/** Throws GitFailure. */
export async function judgeTags(
  refs: readonly { readonly kind: RefKind; readonly ref: Ref; readonly outcomes: readonly RefOutcome[] }[],
  previous: TagSignatures | undefined,
  options: SignatureOptions,
): Promise<JudgedTags> {
  const known = previous?.signers === options.verifier.signers ? previous.tags : undefined;
  const tagged = refs.flatMap(({ kind, ref, outcomes }): TaggedVersion[] => {
    const release = outcomes.find((outcome) => outcome.kind === 'release');
    // a lightweight tag is the id of the commit itself
    return kind === 'branch' || release === undefined || release.commit === ref.oid
      ? []
      : [{ ref, commit: release.commit }];
  });
  const judged = await runBatch(tagged, judgedAtOnce, async (one) => {
    const remembered = known?.get(one.ref.name);
    return remembered?.oid === one.ref.oid ? remembered.signer : judgeTag(one, options);
  });
  const rows = tagged.flatMap(({ ref: { name, oid } }, at) => {
    const signer = judged[at];
    return signer === undefined ? [] : [[name, { oid, signer }] as const];
  });
  return {
    signatures: { signers: options.verifier.signers, tags: new Map(rows) },
    unverified: tagged.length - rows.length,
  };
}

/** undefined: it cannot be judged here, or not now. */
async function judgeTag(
  { ref, commit }: TaggedVersion,
  { store, verifier }: SignatureOptions,
): Promise<Signer | null | undefined> {
  try {
    const kind = await signatureFor(store, ref, commit);
    return kind === undefined ? null : await verifier.verify(ref.oid, kind);
  } catch (error) {
    if (error instanceof QuarantineError) return undefined; // a broken object may be repaired
    throw error;
  }
}

/**
 * A signed tag of one version must not pass for the tag of another: whoever may push can let any ref point at it.
 */
async function signatureFor(
  store: ObjectStore,
  { name, oid }: Ref,
  commit: string,
): Promise<SignatureKind | undefined> {
  const tag = await store.tag(oid);
  if (tag?.signature === undefined || tag.name !== name) return undefined;
  return (await store.peel(oid)) === commit ? tag.signature : undefined;
}
