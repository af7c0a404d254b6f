// Why a question to a forge has no answer. Messages are for people, and contain no credential and no query.

/** The forge refuses, or our own rules forbid the request. A person has to change something before it works. */
export class ForgeRefusal extends Error {
  /** of the forge's answer; undefined: there was none */
  readonly status: number | undefined;
  /** true: our own rules forbid the address */
  readonly isDenied: boolean;

  constructor(
    message: string,
    options: { readonly status?: number; readonly isDenied?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ForgeRefusal';
    this.status = options.status;
    this.isDenied = options.isDenied === true;
  }
}

/** The forge asks for a pause, or does not answer correctly now. The same request may work from `untilMs` on. */
export class ForgePause extends Error {
  /** epoch milliseconds */
  readonly untilMs: number;
  /** true: a rate limit; false: a failure */
  readonly isLimit: boolean;
  /** true: the forge named the time; false: it is a guess, which grows with each pause in a row */
  readonly isNamed: boolean;

  constructor(
    message: string,
    untilMs: number,
    { isLimit, isNamed = false, cause }: { isLimit: boolean; isNamed?: boolean; cause?: unknown },
  ) {
    super(message, { cause });
    this.name = 'ForgePause';
    this.untilMs = untilMs;
    this.isLimit = isLimit;
    this.isNamed = isNamed;
  }
}
