// The exchange of ID tokens in the form of Artifactory, the only one that Dependabot's proxy speaks
// (dependabot/proxy, internal/oidc/actions_oidc.go). It gives tokens that read, by the rules of trusted publishers.

import { invalidInput, RegistryError } from '../../../build/contract/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { jsonAnswer, type Answer } from '../../core/http/answer.ts';
import { readJsonBody } from '../../core/http/request-body.ts';
import type { Feature, FeatureRequest } from '../../core/protocol/feature.ts';
import { parsePublisherId } from '../model/publisher.ts';
import type { OidcTokens } from './oidc-tokens.ts';
import { longestIdToken } from './verify-id-token.ts';

/** Below the host of the registry, whatever the path of the registry: the client knows no other place. */
const path = '/access/api/v1/oidc/token';

const grant: JsonObject = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
};
const limits = { mostBytes: longestIdToken + 4096, longestMs: 30_000 };

export function createArtifactoryExchange(oidc: Pick<OidcTokens, 'exchange'>): Feature {
  const answer = async ({ incoming, clientAddress, nowMs, sendContinue }: FeatureRequest): Promise<Answer> => {
    sendContinue();
    try {
      const [idToken, publisher] = parseExchange(await readJsonBody(incoming, limits));
      const { secret, token } = await oidc.exchange(idToken, { purpose: 'read', publisher }, clientAddress);
      const seconds = Math.floor((Date.parse(token.expires_at ?? '') - nowMs) / 1000);
      return jsonAnswer(200, { access_token: secret.reveal(), expires_in: seconds, token_type: 'Bearer' });
    } catch (error) {
      if (error instanceof RegistryError) return jsonAnswer(error.status, error.body());
      throw error;
    }
  };
  // the request has no token yet
  const route = { kind: 'exchange', methods: 'POST', open: true, ownCredentials: true, answer };
  return { kinds: ['exchange'], routeOf: (asked) => (asked === path ? route : undefined) };
}

/**
 * `provider_name` may be the id of a publisher; another name chooses none. The other fields are about servers of JFrog.
 * Throws RegistryError.
 */
function parseExchange(text: string | undefined): readonly [idToken: string, publisher: string | undefined] {
  const body = text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  if (!isJsonObject(body)) throw invalidInput({ path: '', message: 'must be a JSON object' });
  for (const [field, expected] of Object.entries(grant))
    if (body[field] !== expected) throw invalidInput({ path: field, message: `must be ${String(expected)}` });
  const { subject_token: idToken, provider_name: name } = body;
  if (typeof idToken !== 'string') throw invalidInput({ path: 'subject_token', message: 'must be an ID token' });
  return [idToken, typeof name === 'string' ? parsePublisherId(name) : undefined];
}
