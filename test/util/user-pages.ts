// The pages of the documentation that are for users: README.md, the first page, the instructions and the reference.
// Pages for contributors, and docs/reference/cli.md, which is generated, are not among them.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('../../', import.meta.url).pathname;
const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md') && name !== 'cli.md')
    .map((name) => `${folder}/${name}`);

/** Paths below the repository. */
export const userPages: readonly string[] = [
  'README.md',
  'docs/get-started.md',
  ...pagesIn('docs/how-to'),
  ...pagesIn('docs/reference'),
];
