// What a person typed or configured cannot be used. Exit code 2; the message says what is wrong, where, and what to do.

export class UsageError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UsageError';
  }
}
