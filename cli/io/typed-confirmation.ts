// A confirmation that a person types at a terminal: the exact name of the object.

import type { Context } from './context.ts';

/** True if the person typed the words; undefined without a terminal. */
export async function typedConfirmation(
  { stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>,
  words: string,
): Promise<boolean | undefined> {
  if (stdin.isTTY !== true) return undefined;
  stderr.write(`Type "${words}" to continue: `);
  let typed = '';
  for await (const piece of stdin) {
    typed += piece.toString('utf8');
    if (/[\r\n]/.test(typed)) break;
  }
  return (/^[^\r\n]*/.exec(typed)?.[0] ?? '').trim() === words;
}
