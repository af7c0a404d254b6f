// `explainView` for a name and a version as somebody wrote them, of what is published now.

import { parsePackageName } from '../../build/contract/name.ts';
import { indexPath } from '../../build/contract/paths.ts';
import { parsePackageIndex } from '../../build/contract/serving-index.ts';
import type { TokenRecord } from '../auth/token.ts';
import { parsePublished, type PublishedFiles } from '../packages/published-files.ts';
import { explainView, type Explanation, type Question } from './explain-view.ts';

/** undefined: that is no package name. Rejects where the index of the package cannot be used. */
export async function explainToken(files: PublishedFiles, record: TokenRecord, question: Omit<Question, 'entries'>): Promise<Explanation | undefined> {
  const name = parsePackageName(question.name.toLowerCase());
  if (name === undefined) return undefined;
  const entries = await parsePublished(files, `index/${indexPath(name)}`, (text) => parsePackageIndex(text).versions);
  return explainView(record, { ...question, name, entries });
}
