// What becomes of the options of a satis.json: every one of them gets a line, so that nothing is lost in silence.

/** carried: libretto.json says the same. as-is: Libretto does so anyway. not-carried: it does otherwise. */
export type Outcome = 'carried' | 'as-is' | 'not-carried';

export interface OptionLine {
  /** `archive.skip-dev`, `repositories[2].url` */
  readonly option: string;
  readonly outcome: Outcome;
  /** where it went, or why it did not; a sentence */
  readonly detail: string;
}

export type Note = (option: string, outcome: Outcome, detail: string) => void;
