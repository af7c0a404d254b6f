// Runs `explainView` for a package name and a version, for published, unpublished and mirrored packages.

import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { indexPath } from '../../build/contract/paths.ts';
import { parsePackageIndex } from '../../build/contract/serving-index.ts';
import type { TokenRecord } from '../core/tokens/token.ts';
import { parsePublished, type PublishedFiles } from '../core/tree/published-files.ts';
import { TokenError } from './token-error.ts';
import { explainView, type Explanation, type ExplanationRequest, type MirroredRelease } from './explain-view.ts';

/** The cached releases of a package that mirrored repositories may serve; undefined: they may not. Sends no request. */
export type MirroredReleases = (name: PackageName) => Promise<readonly MirroredRelease[] | undefined>;

/**
 * undefined: that is no package name. Throws TokenError for a person's token, whose own limits decide nothing. Rejects
 * if the index of the package cannot be used.
 */
export async function explainToken(
  files: PublishedFiles,
  record: TokenRecord,
  question: Omit<ExplanationRequest, 'entries' | 'mirrored'>,
  mirroredReleases?: MirroredReleases,
): Promise<Explanation | undefined> {
  if (record.person !== undefined)
    throw new TokenError(
      'TOKEN_OF_PERSON',
      `The token ${record.id} is of \`libretto login\`, and sees what its person ${record.person} sees now. ` +
        '`libretto user show` lists their teams.',
    );
  const name = parsePackageName(question.name.toLowerCase());
  if (name === undefined) return undefined;
  const entries = await parsePublished(files, `index/${indexPath(name)}`, (text) => parsePackageIndex(text).versions);
  const mirrored = entries.length > 0 ? undefined : await mirroredReleases?.(name);
  return explainView(record, { ...question, name, entries, mirrored });
}
