// The reason why an object store did not do what was asked. Messages are for people: they say what to do, and contain
// no signature, token or key.

/**
 * `unreachable`: it may work another time. `refused-credentials`: there are none, or the store does not know them.
 * `forbidden`: the credentials may not do this. `unsupported`: the store does not know the operation. `damaged`: what
 * came is not what was stored.
 */
export type StoreFailureKind =
  | 'unreachable'
  | 'refused-credentials'
  | 'forbidden'
  | 'no-bucket'
  | 'unsupported'
  | 'damaged';

export class StoreFailure extends Error {
  readonly kind: StoreFailureKind;

  constructor(kind: StoreFailureKind, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'StoreFailure';
    this.kind = kind;
  }
}
