// Colours of terminal output: whether a stream gets them, and how a text gets one.

import { styleText } from 'node:util';

import type { TextStream } from './answer-stream.ts';
import type { Environment } from './environment.ts';

export type Paint = 'red' | 'yellow' | 'green' | 'bold' | 'dim';

/**
 * Whether this stream gets colours: only a terminal does. NO_COLOR (no-color.org) switches them off everywhere.
 * FORCE_COLOR switches them on, also in a pipe; its values 0 and false switch them off.
 */
export function wantsColors(isTerminal: boolean, environment: Environment): boolean {
  const { NO_COLOR: no = '', FORCE_COLOR: force, TERM: terminal } = environment;
  if (no !== '' || force === '0' || force === 'false') return false;
  return force !== undefined || (isTerminal && terminal !== 'dumb');
}

/** The text in this colour, or as it is for a stream without colours. */
export function painted({ colors }: Pick<TextStream, 'colors'>, paint: Paint | undefined, text: string): string {
  // wantsColors has decided already; Node would ask process.stdout again
  return colors === true && paint !== undefined ? styleText(paint, text, { validateStream: false }) : text;
}
