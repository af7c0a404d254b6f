// The management API as the rest of the server sees it.

import type { FeatureRequest } from '../../core/protocol/feature.ts';
import type { Answer } from '../../core/http/answer.ts';

export type ApiRequest = FeatureRequest;

/** Handles everything below /api. Rejects only for internal errors. */
export interface Management {
  readonly answer: (request: ApiRequest) => Promise<Answer>;
  /** True if this Authorization header belongs to a session: its person is known, but protocol paths require tokens. */
  readonly isSession: (authorization: string, nowMs: number) => Promise<boolean>;
}
