// The ways in which something of an upstream cannot be had. Messages are for people; there is no credential in them.

import { MirroringFailure, type MirrorPreferences } from '../../core/protocol/mirrored-packages.ts';
import { errorAnswer, type Answer } from '../../core/http/answer.ts';

/** The upstream is down, slow, or requests a pause, so that a later request may succeed. */
export class UpstreamUnavailable extends MirroringFailure {
  /** epoch milliseconds: not worth asking before */
  readonly retryAtMs: number;
  /** true: the same request will fail again, such as one without the right credentials */
  readonly lasting: boolean;
  /** the origin of the upstream, once it is known whose failure this is (`ofUpstream`) */
  upstream: string | undefined;

  constructor(
    message: string,
    retryAtMs: number,
    { lasting = false, ...options }: { readonly cause?: unknown; readonly lasting?: boolean } = {},
  ) {
    super(message, options);
    this.name = 'UpstreamUnavailable';
    this.lasting = lasting;
    this.retryAtMs = retryAtMs;
  }
}

/** Notes whose failure it is, and throws the error again. `origin`: of the upstream, as the operator named it. */
export function ofUpstream(origin: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof UpstreamUnavailable) error.upstream = origin;
    throw error;
  };
}

/** The content is wrong: another checksum, no ZIP, or other bytes than the accepted ones. A retry does not help. */
export class UpstreamRefused extends MirroringFailure {
  /** what clients may read of it: it has no address */
  readonly forClients: string | undefined;

  constructor(message: string, options: { readonly cause?: unknown; readonly forClients?: string } = {}) {
    super(message, options);
    this.name = 'UpstreamRefused';
    this.forClients = options.forClients;
  }
}

/**
 * The upstream lists the file and does not deliver it: it is missing, or not allowed for us. No content is wrong, so
 * this is no alarm.
 */
export class UpstreamWithholds extends UpstreamRefused {
  constructor(message: string) {
    super(message, {
      forClients:
        'The upstream repository lists this version but does not deliver it. Ask the operator of this registry: the ' +
        'log has the reason.',
    });
    this.name = 'UpstreamWithholds';
  }
}

/** The private names are unknown, so that no request may go to an upstream (I9). `libretto why` shows the cause. */
export class PrivateNamesUnknown extends Error {
  constructor() {
    super(
      'The list of private names is missing, so no other registry is used. Run `libretto build` on the host of ' +
        'this registry.',
    );
    this.name = 'PrivateNamesUnknown';
  }
}

/**
 * The answer to a failure of the mirror. Only a caller who sees every package reads which upstream is away (decision
 * D451); the log has the full message. Composer prints the first 200 bytes of a body. Throws every other error again.
 */
export function refusalOf(error: unknown, nowMs: number, { view }: Pick<MirrorPreferences, 'view'>): Answer {
  if (error instanceof PrivateNamesUnknown)
    return errorAnswer('NOT_READY', { message: error.message, headers: ['Retry-After', '5'] });
  if (error instanceof UpstreamRefused)
    return errorAnswer('UPSTREAM_REFUSED', error.forClients === undefined ? {} : { message: error.forClients });
  if (!(error instanceof UpstreamUnavailable)) throw error;
  const seconds = Math.max(1, Math.ceil((error.retryAtMs - nowMs) / 1000));
  const named = view === undefined && error.upstream !== undefined ? ` ${error.upstream}` : '';
  const message =
    `The upstream repository${named} of this package cannot be reached or read now. Try again in ${seconds} s; the log of this ` +
    'registry has the reason.';
  return errorAnswer('UPSTREAM_UNAVAILABLE', {
    message,
    details: { retry_after_seconds: seconds },
    headers: ['Retry-After', String(seconds)],
  });
}
