// The two ways in which requests and whole answers pass node:http: the public interface, or the fast path with private
// fields (fast-path.ts). The server chooses one of them.

import type { ServerResponse } from 'node:http';
import { ServerRequest } from './server-request.ts';

export interface NodePath {
  readonly Request: typeof ServerRequest;
  /** writes an answer whose head is text; undefined: node:http makes each head */
  readonly rawResponses: RawResponses | undefined;
}

export interface RawResponses {
  /** True if the response is untouched, its connection continues after it, and its form is known here. */
  readonly takes: (response: ServerResponse) => boolean;
  /**
   * Call it only if `takes` is true. `text`: the head with the length of the body, and also the body unless `bytes` has
   * it; latin1.
   */
  readonly end: (response: ServerResponse, status: number, text: string, bytes: Buffer | undefined) => void;
}

export const publicPath: NodePath = { Request: ServerRequest, rawResponses: undefined };
