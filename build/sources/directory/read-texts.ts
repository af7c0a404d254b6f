// The README and CHANGELOG of a package folder. The build reads them when it makes a version, after the content. A text
// changed in between is shown in its new form, which is harmless.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chooseTexts } from '../../contract/package-texts.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { maxReadText, type PackageText, type PackageTexts } from '../../archive/content.ts';
import type { ContentPlace } from './read-content.ts';
import { readUnchanged } from '../../files/read-file.ts';

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
    return []; // the folder existed a moment ago: the reader of its files reports the error
  }
}

async function readText(path: string, pause: ContentPlace['pause']): Promise<Buffer | undefined> {
  try {
    return await readUnchanged(path, { maxBytes: maxReadText }, pause);
  } catch (error) {
    if (error instanceof QuarantineError) return undefined;
    throw error;
  }
}
