// The calls of identity providers below /ui: a provider reports that a person signed out there (OpenID Connect
// Back-Channel Logout 1.0). No browser sends them, so they have neither a cookie nor the origin of a page: the
// signature of the logout token proves who calls.

import { RegistryError } from '../../build/contract/errors.ts';
import { jsonAnswer, type Answer } from '../core/http/answer.ts';
import { IssuerUnavailable } from '../oidc/fetch-issuer.ts';
import type { FeatureRequest } from '../core/protocol/feature.ts';
import { LogoutRefused } from '../sso/logout/logout-token.ts';
import type { SingleSignOn } from '../sso/single-sign-on.ts';
import { readPostedForm } from './request/read-form.ts';

/** Answers a call to this path below /ui; undefined: it is a page. Rejects only for internal errors. */
export type ProviderCalls = (path: string) => ((request: FeatureRequest) => Promise<Answer>) | undefined;

const path = /^\/sso\/([a-z0-9-]{1,32})\/backchannel-logout$/;

/** `sso`: undefined: no provider is configured. */
export function createProviderCalls(sso: SingleSignOn | undefined): ProviderCalls {
  return (callPath) => {
    const requestedId = path.exec(callPath)?.[1];
    const provider = sso?.providers.find(({ id }) => id === requestedId);
    if (sso === undefined || provider === undefined) return undefined;
    return (request) => endSessions(sso, provider.id, request);
  };
}

async function endSessions(sso: SingleSignOn, id: string, { incoming, sendContinue }: FeatureRequest): Promise<Answer> {
  if (incoming.method !== 'POST')
    return refused(405, 'invalid_request', 'This address takes a POST of an identity provider alone.', [
      'Allow',
      'POST',
    ]);
  try {
    const token = (await readPostedForm(incoming, sendContinue)).secret('logout_token');
    if (token === '') return refused(400, 'invalid_request', 'The field logout_token is missing.');
    await sso.endSessions(id, token);
    return { status: 200, headers: ['Content-Length', '0', 'Cache-Control', 'no-store'], body: '' };
  } catch (error) {
    if (error instanceof LogoutRefused || error instanceof RegistryError)
      return refused(400, 'invalid_request', error.message);
    // the standard knows no other status for a sign-out that failed
    if (error instanceof IssuerUnavailable) return refused(400, 'temporarily_unavailable', error.message);
    throw error;
  }
}

/** RFC 6749 §5.2 */
function refused(status: number, error: string, error_description: string, more: readonly string[] = []): Answer {
  return jsonAnswer(status, { error, error_description }, more);
}
