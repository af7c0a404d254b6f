// The management API as the rest of the server sees it.

import type { FeatureRequest } from '../../protocol/feature.ts';
import type { Answer } from '../../http/answer.ts';

export type ApiRequest = FeatureRequest;

/** Everything below /api. Rejects only when something broke that is nobody's fault outside. */
export interface Management {
  readonly answer: (request: ApiRequest) => Promise<Answer>;
  /** Whether this Authorization header is a session's: its person is known, but protocol paths require tokens. */
  readonly isSession: (authorization: string, nowMs: number) => Promise<boolean>;
}
