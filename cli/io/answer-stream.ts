// Standard output with a check that the text arrived. Otherwise a full disk would lose an answer under exit code 0.

export interface TextStream {
  readonly isTTY?: boolean;
  /** columns of a terminal; 0 if unknown */
  readonly columns?: number;
  /** whether it gets colours; see wantsColors */
  readonly colors?: boolean;
  readonly write: (text: string) => unknown;
  /** Rewrites each `libretto …` to the command that works in the reader's shell; undefined: it is `libretto`. */
  readonly typeable?: (text: string) => string;
}

/** The answer, or a part of it, was not written. */
export class AnswerLost extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'AnswerLost';
  }
}

export interface AnswerStream extends TextStream {
  /**
   * Resolves after all earlier writes are delivered, rejects with AnswerLost if one failed. `consequence`: the advice
   * for the person. A reader that left (`| head`, a closed terminal) counts as success, because it wanted no more.
   */
  readonly delivered: (consequence?: string) => Promise<void>;
}

export function answerStream(
  stream: NodeJS.WriteStream,
  { colors = false, typeable }: Pick<TextStream, 'colors' | 'typeable'> = {},
): AnswerStream {
  let failure: NodeJS.ErrnoException | undefined;
  let writing: Promise<void> = Promise.resolve();
  // every write reports its own failure; the event repeats it
  stream.on('error', (error: NodeJS.ErrnoException) => void (failure ??= error));
  return {
    isTTY: stream.isTTY,
    columns: stream.columns,
    colors,
    ...(typeable === undefined ? {} : { typeable }),
    write: (text) => {
      const written = new Promise<void>((resolve) => {
        stream.write(text, (error) => {
          failure ??= error ?? undefined;
          resolve();
        });
      });
      writing = writing.then(() => written);
    },
    delivered: async (consequence = 'The command took effect; only its output is missing.') => {
      await writing;
      if (failure === undefined || hasLeft(failure, stream)) return;
      throw new AnswerLost(
        'The answer could not be written: ' +
          `${failure.code === 'ENOSPC' ? 'the disk of the output is full' : failure.message}. ${consequence}`,
        failure,
      );
    },
  };
}

function hasLeft({ code }: NodeJS.ErrnoException, { isTTY }: NodeJS.WriteStream): boolean {
  return code === 'EPIPE' || (code === 'EIO' && isTTY);
}
