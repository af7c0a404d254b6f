// A request to the management API as it leaves the pipeline: admitted, counted, its API token known.

import type { Answer } from '../../http/answer.ts';
import type { ActiveToken } from '../../auth/authenticate.ts';
import type { HttpRequest } from '../../http/http-request.ts';

export interface ApiRequest {
  readonly incoming: HttpRequest;
  /** the API token that sent it, already counted; undefined: none, or credentials of another kind */
  readonly token: ActiveToken | undefined;
  /** where it came from, as far as it can be trusted */
  readonly clientAddress: string;
  readonly requestId: string;
  /** epoch milliseconds */
  readonly nowMs: number;
  /** Tells a client that waits for `100 Continue` to send its body. */
  readonly sendContinue: () => void;
}

/** Everything below /api. Rejects only when something broke that is nobody's fault outside. */
export interface Management {
  readonly answer: (request: ApiRequest) => Promise<Answer>;
  /** Whether this Authorization header is a session's: such a person is known, but protocol paths are for tokens. */
  readonly isSession: (authorization: string, nowMs: number) => Promise<boolean>;
}
