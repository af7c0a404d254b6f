// The port to the policy of the registry. The tree asks it about each document and each archive that a token sees,
// after the token's view. Packages that no rule concerns cost one look-up.

import type { PackageName } from '../../../build/contract/name.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { Answer } from '../http/answer.ts';
import type { TextDocument } from '../http/document.ts';
import type { View } from '../views/view.ts';
import type { Moment } from './mirrored-packages.ts';

/** The sender of a request. */
export interface PolicyCaller {
  /** the id of its token; undefined: none is known */
  readonly token?: string | undefined;
  readonly view: View | undefined;
  readonly userAgent?: string | undefined;
}

export interface PolicedDocument {
  readonly document: TextDocument;
  /** The memory of the document has grown by this many bytes. */
  readonly grow: (bytes: number) => void;
}

/** The rules in effect for one request. */
export interface RulesInEffect {
  /** equal for equal rules, on every host */
  readonly id: string;
  /** The refusal for a version of Composer that may not send requests; undefined: it may. */
  readonly client: (caller: PolicyCaller, moment: Moment) => Answer | undefined;
  /** A sentence in packages.json for the person who runs this version of Composer; undefined: none. */
  readonly warning: (caller: PolicyCaller) => string | undefined;
  /** The document of a package that is published here, without the blocked versions. undefined: it is the same one. */
  readonly published: (
    base: TextDocument,
    asked: { readonly name: PackageName; readonly stability: 'stable' | 'dev' },
    caller: PolicyCaller,
    moment: Moment,
  ) => MaybeAsync<PolicedDocument | undefined>;
  /** The refusal of an archive that is published here; undefined: it may be sent. */
  readonly publishedArchive: (
    name: PackageName,
    entry: IndexEntry,
    caller: PolicyCaller,
    moment: Moment,
  ) => MaybeAsync<Answer | undefined>;
}

export interface ReleasePolicy {
  /** undefined: there is no rule. Called for each request, and returns one object while nothing has changed. */
  readonly rules: (nowMs: number) => MaybeAsync<RulesInEffect | undefined>;
}
