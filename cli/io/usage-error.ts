// The error of a wrong argument or setting: exit code 2. The message names the fault, its place, and the repair.

export class UsageError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UsageError';
  }
}
