// A registry with issuers of ID tokens, whose admin adds trusted publishers, and jobs that exchange at it.

import { audience } from './publisher-claims.ts';
import { startOidcIssuer, type OidcIssuer } from './oidc-issuer.ts';
import { runManagement, type RunningManagement } from './running-management.ts';
import type { Reply } from './running-proxy.ts';

export interface PublishingRegistry extends AsyncDisposable {
  readonly registry: RunningManagement;
  readonly github: OidcIssuer;
  readonly gitlab: OidcIssuer;
  readonly other: OidcIssuer;
  readonly forgejo: OidcIssuer;
  readonly bitbucket: OidcIssuer;
  /** the session of an admin */
  readonly admin: string;
  /** Adds a publisher, and returns its document. */
  readonly publisher: (draft: object) => Promise<Record<string, unknown>>;
  readonly exchange: (token: string, more?: object) => Promise<Reply>;
}

type Issuers = Pick<PublishingRegistry, 'github' | 'gitlab' | 'other' | 'forgejo' | 'bitbucket'>;

/** Each has the path that its CI system has. */
async function startIssuers(): Promise<Issuers> {
  const [github, gitlab, other, forgejo, bitbucket] = await Promise.all([
    startOidcIssuer('/_services/token'),
    startOidcIssuer(),
    startOidcIssuer(),
    startOidcIssuer('/api/actions'),
    startOidcIssuer('/2.0/workspaces/acme/pipelines-config/identity/oidc'),
  ]);
  return { github, gitlab, other, forgejo, bitbucket };
}

/** `now`: epoch milliseconds. */
export async function startPublishingRegistry(
  now: () => number = Date.now,
  settings: object = { publicUrl: audience },
): Promise<PublishingRegistry> {
  const issuers = await startIssuers();
  const registry = await runManagement({
    now,
    settings: {
      egress: { allow: ['127.0.0.0/8'] },
      oidcIssuers: Object.entries(issuers).map(([kind, { url }]) => `${kind === 'other' ? 'oidc' : kind}=${url}`),
      ...settings,
    },
  });
  const { token: admin } = await registry.signIn('admin');
  return {
    registry,
    ...issuers,
    admin,
    publisher: async (draft) => {
      const reply = await registry.call('POST', '/api/publishers', { as: admin, body: draft });
      if (reply.status !== 201) throw new Error(reply.body.toString());
      return reply.json();
    },
    exchange: (token, more = {}) => registry.call('POST', '/api/oidc/token', { body: { token, ...more } }),
    [Symbol.asyncDispose]: async () => {
      await registry[Symbol.asyncDispose]();
      await Promise.all(Object.values(issuers).map((issuer) => issuer[Symbol.asyncDispose]()));
    },
  };
}
