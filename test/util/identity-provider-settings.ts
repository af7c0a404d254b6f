// The configuration of the identity provider of tests, and the rows that it keeps in memory. The rows outlive a
// rotation of its keys.

import { request } from 'undici';
import type { Adapter, AdapterPayload, Configuration } from 'oidc-provider';
import type { ProviderPerson, SigningKey } from './identity-provider-keys.ts';

export interface ProviderRows {
  readonly adapter: (model: string) => Adapter;
  readonly put: (model: string, id: string, row: AdapterPayload) => Promise<void>;
}

/** `people`: login name → person */
export function providerConfiguration(
  url: string,
  key: SigningKey,
  people: ReadonlyMap<string, ProviderPerson>,
  rows: ProviderRows,
): Configuration {
  const port = new URL(url).port;
  return {
    adapter: rows.adapter,
    jwks: { keys: [key.jwk as never] },
    // browsers share the cookies of all ports of a host
    cookies: {
      keys: ['key of the cookies'],
      names: { session: `op-${port}`, interaction: `op-step-${port}`, resume: `op-resume-${port}` },
    },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    findAccount: async (_context, sub) => {
      const person = [...people.values()].find((one) => one.sub === sub);
      return person && { accountId: sub, claims: async () => ({ ...person.claims, sub }) };
    },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    interactions: { url: (_context, { uid }) => `${new URL(url).pathname.replace(/\/$/, '')}/interaction/${uid}` },
    pkce: { required: () => true },
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 600, Session: 3600, Grant: 3600 },
    // its own fetch refuses loopback addresses
    fetch: async (address, options) => {
      const { statusCode, body } = await request(String(address), {
        method: (options?.method ?? 'GET') as 'GET',
        headers: Object.fromEntries(new Headers(options?.headers)),
        body: typeof options?.body === 'string' ? options.body : String(options?.body ?? ''),
      });
      return new Response(await body.text(), { status: statusCode });
    },
  };
}

export function createProviderRows(): ProviderRows {
  const rows = new Map<string, AdapterPayload>();
  const find = (model: string, is: (row: AdapterPayload) => boolean): AdapterPayload | undefined =>
    [...rows].find(([key, row]) => key.startsWith(`${model} `) && is(row))?.[1];
  return {
    put: async (model, id, row) => void rows.set(`${model} ${id}`, row),
    adapter: (model) => ({
      upsert: async (id, row) => void rows.set(`${model} ${id}`, row),
      find: async (id) => rows.get(`${model} ${id}`),
      findByUid: async (uid) => find(model, (row) => row.uid === uid),
      findByUserCode: async (userCode) => find(model, (row) => row.userCode === userCode),
      consume: async (id) => {
        const row = rows.get(`${model} ${id}`);
        if (row !== undefined) rows.set(`${model} ${id}`, { ...row, consumed: Math.floor(Date.now() / 1000) });
      },
      destroy: async (id) => void rows.delete(`${model} ${id}`),
      revokeByGrantId: async (grantId) => {
        for (const [key, row] of rows) if (row.grantId === grantId) rows.delete(key);
      },
    }),
  };
}
