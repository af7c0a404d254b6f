// One question of `libretto init`, as data: its flag, its words at the terminal, and the meaning of an answer.

import type { Environment } from '../io/environment.ts';
import type { Draft } from './answers.ts';

/** The process, as answers need it. */
export interface AnswerContext {
  readonly workingDirectory: string;
  readonly environment: Environment;
  /** all addresses of a host name; rejects for an unknown name */
  readonly resolveHost: (host: string) => Promise<readonly string[]>;
}

export interface Understood {
  readonly draft: Draft;
  /** what was found out about the answer, a sentence */
  readonly remark?: string | undefined;
}

export interface InitQuestion {
  /** camel case, as commander names it */
  readonly flag: string;
  /** as people type it: `--public-url` */
  readonly option: string;
  /** false: earlier answers make it pointless */
  readonly applies: (draft: Draft) => boolean;
  /** what has to be given for it to apply */
  readonly needs?: string;
  readonly prompt: (draft: Draft) => string;
  /** the answer of Enter, and without a terminal that of --yes; undefined: there is none */
  readonly standard: (draft: Draft, place: AnswerContext) => string | undefined | Promise<string>;
  /** asked again until the answer is empty; a flag is repeatable */
  readonly repeats?: boolean;
  /** without a terminal, the flag or --yes must be given */
  readonly essential?: boolean;
  /** Throws UsageError for an unusable answer. */
  readonly understand: (answer: string, draft: Draft, place: AnswerContext) => Understood | Promise<Understood>;
}
