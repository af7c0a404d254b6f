// The fenced blocks of a documentation page, as a reader copies them: without the indentation of a list.

import { readFileSync } from 'node:fs';

export interface PageBlock {
  /** the word behind the opening fence: `sh`, `yaml`, or empty */
  readonly language: string;
  /** the nearest heading above, without its hashes */
  readonly heading: string;
  /** ends with a newline */
  readonly text: string;
}

const root = new URL('../../', import.meta.url).pathname;

/** `page`: a path below the repository. */
export function blocksOf(page: string): readonly PageBlock[] {
  const blocks: PageBlock[] = [];
  let heading = '';
  let open: { readonly indent: number; readonly language: string; readonly lines: string[] } | undefined;
  for (const line of readFileSync(`${root}${page}`, 'utf8').split('\n')) {
    const fence = /^( *)```(\w*)$/.exec(line);
    if (open === undefined) {
      heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading;
      if (fence !== null) open = { indent: (fence[1] ?? '').length, language: fence[2] ?? '', lines: [] };
    } else if (fence === null) {
      open.lines.push(line.slice(open.indent));
    } else {
      blocks.push({ language: open.language, heading, text: `${open.lines.join('\n')}\n` });
      open = undefined;
    }
  }
  return blocks;
}

/** The one block of `page` that contains `text`; throws where there is none, or more than one. */
export function blockWith(page: string, text: string): PageBlock {
  const found = blocksOf(page).filter((block) => block.text.includes(text));
  const [block] = found;
  if (block === undefined || found.length > 1) throw new Error(`${page} has ${found.length} blocks with ${text}`);
  return block;
}
