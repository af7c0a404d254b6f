// One valid row of every kind about trusted publishers.

import type { JsonObject, JsonValue } from '../../build/contract/json.ts';

const publisher = 'pub_0000000000000000';

/** The job of a token, as `token-run` and artifacts have it. */
export const jobOfToken: JsonObject = {
  publisher,
  issuer: 'https://gitlab.com',
  repository: 'acme/app',
  run_id: '1',
  run_attempt: null,
  run_url: null,
  ref: null,
  commit: null,
  workflow: null,
};

/** `token`: with the hash `hash`. */
export function publisherRows(at: string, token: string, hash: string): Readonly<Record<string, JsonValue>> {
  return {
    'oidc-jti/x': at,
    [`publisher/${publisher}`]: {
      id: publisher,
      name: 'x',
      issuer: 'https://gitlab.com',
      kind: 'gitlab',
      purpose: 'publish',
      packages: ['acme/app'],
      constraints: null,
      stability: null,
      not_after: null,
      repository: 'acme/app',
      repository_id: null,
      owner_id: null,
      ids_learnt_at: null,
      claims: {},
      workflow: null,
      workflow_claim: 'job',
      environment: null,
      refs: 'any',
      token_minutes: 15,
      exchanges_per_hour: 60,
      created_at: at,
      created_by: 'cli:a',
      updated_at: at,
    },
    [`publisher-use/${publisher}`]: { used: 1, ends_ms: 1, last_at: at, last: jobOfToken },
    [`token-run/${token}`]: { run: jobOfToken, hash, expires_at: at },
  };
}
