// The outcome of publishing or withdrawing an artifact: the document that the child process gives to the server.

import type { Reference, Sha1 } from '../contract/digest.ts';
import type { ErrorCode } from '../contract/errors.ts';
import type { JsonObject } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';

export type PublishOutcome = PublishedArtifact | RefusedArtifact;

/** A type, not an interface: it is printed as JSON. */
export type PublishedArtifact = {
  /** `staged`: stored, and not published until a person approves it */
  readonly outcome: 'published' | 'staged';
  readonly name: PackageName;
  readonly version: string;
  readonly version_normalized: string;
  readonly reference: Reference;
  /** SHA-256 of the whole ZIP, lower-case hex */
  readonly sha256: string;
  /** `dist.shasum` */
  readonly sha1: Sha1;
  /** bytes */
  readonly size: number;
  /** `dist.url` */
  readonly url: string;
  /** serial of the publication with the artifact */
  readonly serial: number;
  /** remarks of the build on this package; for people */
  readonly notices: readonly string[];
  /** those on the registry, which may name other packages; for its operator */
  readonly registryNotices: readonly string[];
};

export type RefusedArtifact = {
  readonly outcome: 'refused';
  readonly code: ErrorCode;
  /** for the sender: the fault and the repair, without a path of this machine */
  readonly message: string;
  readonly details: JsonObject;
};

export type WithdrawOutcome = { readonly outcome: 'withdrawn'; readonly serial: number } | RefusedArtifact;

export function refused(code: ErrorCode, message: string, details: JsonObject = {}): RefusedArtifact {
  return { outcome: 'refused', code, message, details };
}
