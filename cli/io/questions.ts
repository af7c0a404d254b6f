// Asks questions at a terminal, a line each. Ctrl+C and the end of the input cancel all questions.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

import type { TextStream } from './answer-stream.ts';
import type { Context } from './context.ts';

/** The person cancelled the questions. */
export class QuestionsCancelled extends Error {
  constructor() {
    super('The questions were cancelled');
    this.name = 'QuestionsCancelled';
  }
}

/** `prompts` is a terminal where `input` is one. Lines that arrive before their question wait for it. */
export function openQuestions({ stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>) {
  const lines = createInterface({
    input: stdin as unknown as NodeJS.ReadableStream, // process.stdin, or a stream of a test
    terminal: stdin.isTTY === true && typeof stdin.setRawMode === 'function',
    output: outputOf(stderr),
    historySize: 0,
  });
  const typed: string[] = [];
  let waiting: { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void } | undefined;
  let isOver = false;
  const cancel = (): void => {
    isOver = true;
    waiting?.reject(new QuestionsCancelled());
    waiting = undefined;
  };
  lines.on('line', (line) => {
    if (waiting === undefined) typed.push(line);
    else waiting.resolve(line);
    waiting = undefined;
  });
  lines.on('close', cancel);
  lines.on('SIGINT', () => lines.close());
  return {
    /** Resolves with the line that the person typed, without blanks around it. Rejects with QuestionsCancelled. */
    ask: async (prompt: string): Promise<string> => {
      lines.setPrompt(prompt);
      const line = typed.shift();
      if (line === undefined && isOver) throw new QuestionsCancelled();
      if (line !== undefined) return line.trim();
      const answer = new Promise<string>((resolve, reject) => (waiting = { resolve, reject }));
      lines.prompt();
      return (await answer).trim();
    },
    /** Gives the terminal back. Resolves once another reader may take it. */
    close: async (): Promise<void> => {
      lines.off('close', cancel);
      lines.close();
      await setImmediate(); // Node stops the reading in the next turn: a reader that begins earlier would get nothing
    },
  };
}

/** Standard error as node:readline writes to it. */
function outputOf(stderr: TextStream): Writable {
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string | Buffer, _encoding, done) => {
      stderr.write(String(text));
      done();
    },
  });
  return Object.assign(stream, { columns: stderr.columns ?? 80 });
}
