// The README and CHANGELOG of a package folder. They are read when a version is made, after its content was: whoever
// changes one in between gets the new one shown, which harms nobody.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chooseTexts } from '../../contract/package-texts.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { maxReadText, type PackageText, type PackageTexts } from '../release.ts';
import type { ContentPlace } from './read-content.ts';
import { readWhole } from '../../files/read-file.ts';

export async function readTexts({ folder, pause }: Pick<ContentPlace, 'folder' | 'pause'>): Promise<PackageTexts> {
  const { readme, changelog } = chooseTexts(namesIn(folder));
  const text = (file: string): PackageText => ({
    identity: `file:${folder}/${file}`,
    read: () => readText(join(folder, file), pause),
  });
  return {
    ...(readme === undefined ? {} : { readme: text(readme) }),
    ...(changelog === undefined ? {} : { changelog: text(changelog) }),
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it was there a moment ago: whoever reads its files says so
  }
}

async function readText(path: string, pause: ContentPlace['pause']): Promise<Buffer | undefined> {
  try {
    return await readWhole(path, { maxBytes: maxReadText }, pause);
  } catch (error) {
    if (error instanceof QuarantineError) return undefined;
    throw error;
  }
}
