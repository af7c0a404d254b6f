// The report on a satis.json: one line for each option, so that no option disappears without notice.

/** carried: libretto.json has the option. as-is: Libretto does the same without it. not-carried: Libretto differs. */
export type OptionOutcome = 'carried' | 'as-is' | 'not-carried';

export interface OptionLine {
  /** `archive.skip-dev`, `repositories[2].url` */
  readonly option: string;
  readonly outcome: OptionOutcome;
  /** the new place of the option, or the reason why it was not carried over; a sentence */
  readonly detail: string;
}

export type Note = (option: string, outcome: OptionOutcome, detail: string) => void;
