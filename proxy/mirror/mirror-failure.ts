// The two ways in which something of an upstream cannot be had. Messages are for people; there is no credential in them.

/** It may be there another time: the upstream is down, slow, or asks for patience. */
export class UpstreamUnavailable extends Error {
  /** epoch milliseconds: not worth asking before */
  readonly retryAtMs: number;

  constructor(message: string, retryAtMs: number, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UpstreamUnavailable';
    this.retryAtMs = retryAtMs;
  }
}

/** It came, and is not what it has to be: another checksum, no ZIP, other bytes than were accepted once. Asking again does not help. */
export class UpstreamRefused extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UpstreamRefused';
  }
}
