// The parts of a request that shape the answer of a document or an archive.

import type { HttpRequest } from '../http/http-request.ts';
import type { View } from '../views/view.ts';
import { canRequestExactForm } from '../tree/exact-form.ts';
import type { Conditions } from '../http/representation.ts';
import type { Route } from './route.ts';

export interface RequestPreferences extends Conditions {
  readonly acceptEncoding: string | undefined;
  /** true for HEAD */
  readonly head: boolean;
  /** the caller's view; undefined: all */
  readonly view: View | undefined;
  /** the id of the caller's token; undefined: none is known */
  readonly token: string | undefined;
  readonly userAgent: string | undefined;
  /** for packages.json: whether the client can request the exact metadata-url (exact-form.ts) */
  readonly exactForm: boolean;
}

/** The token of a request, as far as it shapes the answer. */
export interface CallerView {
  readonly view?: View | undefined;
  readonly id?: string | undefined;
}

/**
 * `kind`: of the route. Only packages.json depends on all fields, so that documents pay only for the fields they need.
 */
export function requestPreferences(
  request: HttpRequest,
  { view, id }: CallerView,
  kind: Route['kind'],
): RequestPreferences {
  const { headers, method } = request;
  return {
    acceptEncoding: headers['accept-encoding'],
    ifNoneMatch: headers['if-none-match'],
    ifModifiedSince: headers['if-modified-since'],
    head: method === 'HEAD',
    view,
    token: id,
    userAgent: headers['user-agent'],
    exactForm: kind !== 'root' || canRequestExactForm(request),
  };
}
