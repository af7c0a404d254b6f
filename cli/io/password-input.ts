// Reads a password: typed twice at a terminal without display, or all of standard input.

import type { Context, InputStream } from './context.ts';
import { UsageError } from './usage-error.ts';

/** Throws UsageError without a password, or if the two entries differ. */
export async function readPassword(
  { stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>,
  fromStdin: boolean,
): Promise<string> {
  if (fromStdin) return readAll(stdin);
  if (stdin.isTTY !== true)
    throw new UsageError(
      'There is no terminal to ask for a password. Send it to standard input with --password-stdin, or use ' +
        '--invite to let the user choose one.',
    );
  const [password = '', again] = await typeUnseen(stdin, ['Password: ', 'Repeat the password: '], (text) =>
    stderr.write(text),
  );
  if (password !== again) throw new UsageError('The two passwords differ. Nothing was changed.');
  return password;
}

/** Reads one line without its final newline. */
async function readAll(stdin: InputStream): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stdin) pieces.push(Buffer.from(piece));
  const password = Buffer.concat(pieces)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (password === '') throw new UsageError('Standard input holds no password.');
  if (/\p{Cc}/u.test(password))
    throw new UsageError(
      'Standard input contains more than one line, or control characters. A password is one line of text.',
    );
  return password;
}

const [interrupt, endOfInput, clearLine] = ['\u0003', '\u0004', '\u0015'];

/** Reads one line for each prompt. The terminal echoes nothing, and is restored afterwards. */
async function typeUnseen(
  stdin: InputStream,
  prompts: readonly string[],
  show: (text: string) => unknown,
): Promise<string[]> {
  const answers: string[] = [];
  let typed = '';
  stdin.setRawMode?.(true);
  show(prompts[0] ?? '');
  try {
    for await (const key of keysOf(stdin)) {
      if (key === interrupt || key === endOfInput) break;
      if (key !== '\r' && key !== '\n') {
        typed = edited(typed, key);
        continue;
      }
      answers.push(typed);
      typed = '';
      if (answers.length === prompts.length) return answers;
      show(`\n${prompts[answers.length] ?? ''}`);
    }
    throw new UsageError('No password was given. Nothing was changed.');
  } finally {
    stdin.setRawMode?.(false);
    show('\n');
  }
}

async function* keysOf(stdin: InputStream): AsyncGenerator<string> {
  for await (const piece of stdin) yield* piece.toString('utf8');
}

function edited(typed: string, key: string): string {
  if (key === clearLine) return '';
  return key === '\b' || key === '\u007f' ? [...typed].slice(0, -1).join('') : typed + key;
}
