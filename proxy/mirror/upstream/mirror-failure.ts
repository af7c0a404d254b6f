// The ways in which something of an upstream cannot be had. Messages are for people; there is no credential in them.

import { MirroringFailure } from '../../protocol/mirrored-packages.ts';

/** It may be there another time: the upstream is down, slow, or asks for patience. */
export class UpstreamUnavailable extends MirroringFailure {
  /** epoch milliseconds: not worth asking before */
  readonly retryAtMs: number;

  constructor(message: string, retryAtMs: number, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UpstreamUnavailable';
    this.retryAtMs = retryAtMs;
  }
}

/** The content is wrong: another checksum, no ZIP, or other bytes than the accepted ones. A retry does not help. */
export class UpstreamRefused extends MirroringFailure {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UpstreamRefused';
  }
}

/**
 * The upstream lists the file and does not deliver it: it is missing, or not allowed for us. No content is wrong, so
 * this is no alarm.
 */
export class UpstreamWithholds extends UpstreamRefused {
  constructor(message: string) {
    super(message);
    this.name = 'UpstreamWithholds';
  }
}

/**
 * It is not known which names are private, so that no upstream may be asked (I9). `libretto why` says why it is not.
 */
export class PrivateNamesUnknown extends Error {
  constructor() {
    super(
      'The list of private names is missing, so no other registry is used. Run `libretto build` on the host of ' +
        'this registry.',
    );
    this.name = 'PrivateNamesUnknown';
  }
}
