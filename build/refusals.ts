// The two ways a build ends before it publishes anything. Both carry a message for the person who started it.

/** Unusable arguments, configuration or data folder: nothing was written. */
export class BuildRefused extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'BuildRefused';
  }
}

/** Another build holds the lock. */
export class BuildBusy extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BuildBusy';
  }
}
