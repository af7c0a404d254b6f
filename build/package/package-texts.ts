// The READMEs and CHANGELOGs of one package in this build: each distinct text is read and staged once, and only if it
// is not stored yet.

import { maxTextBytes, parseTextDigest, textPath, type TextDigest } from '../contract/package-texts.ts';
import type { PackageName } from '../contract/name.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { SingleFlight } from '../shared/concurrency/single-flight.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import type { Output, StagedFile } from '../output/output.ts';
import type { Placement } from '../output/publication.ts';
import type { ArchivedText, PackageTexts } from '../archive/content.ts';

export type TextsOfVersion = Pick<IndexEntry, 'readme' | 'changelog'>;

export type TextStager = ReturnType<typeof createTextStager>;

/** `storedDigests`: the digests of the stored texts. */
export function createTextStager(name: PackageName, storedDigests: ReadonlySet<TextDigest>, output: Output) {
  const digests = new SingleFlight<TextDigest | undefined>({ keeps: 'settled' });
  const staged = new Map<TextDigest, StagedFile>();

  const stageText = async (text: ArchivedText): Promise<TextDigest | undefined> => {
    const bytes = await text.read();
    if (bytes === undefined) return undefined;
    const shown = textOf(bytes);
    const digest = parseTextDigest(digestOf(shown).slice(0, 40));
    if (digest !== undefined && !storedDigests.has(digest) && !staged.has(digest))
      staged.set(digest, await output.stage(shown));
    return digest;
  };
  const digestOfText = (text: ArchivedText | undefined): Promise<TextDigest | undefined> =>
    text === undefined ? Promise.resolve(undefined) : digests.run(text.identity, () => stageText(text));

  return {
    /** The digests for the entry of a version. */
    stage: async (texts: PackageTexts): Promise<TextsOfVersion> => {
      const [readme, changelog] = [await digestOfText(texts.readme), await digestOfText(texts.changelog)];
      return { ...(readme === undefined ? {} : { readme }), ...(changelog === undefined ? {} : { changelog }) };
    },
    /** The placements and removals after which exactly the texts of these entries exist. */
    changes: (
      entries: readonly IndexEntry[],
    ): {
      readonly placements: readonly Placement[];
      readonly removals: readonly string[];
    } => {
      const used = new Set(
        entries.flatMap(({ readme, changelog }) => [readme, changelog].filter((digest) => digest !== undefined)),
      );
      return {
        placements: [...staged].flatMap(([digest, file]) =>
          used.has(digest) ? [{ file, path: textPath(name, digest) }] : [],
        ),
        removals: [...storedDigests].flatMap((digest) => (used.has(digest) ? [] : [textPath(name, digest)])),
      };
    },
  };
}

/** Removes a byte-order mark, and truncates at a character boundary. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes.subarray(0, maxTextBytes), { stream: bytes.length > maxTextBytes });
}
