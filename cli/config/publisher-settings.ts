// The setting of the issuers whose ID tokens trusted publishers may exchange.

import { issuerPattern, parseIssuer, standardIssuers, type Issuer } from '../../proxy/publishers/model/issuer.ts';
import type { Setting } from './setting.ts';

const oidcIssuers: Setting<readonly Issuer[]> = {
  key: 'oidcIssuers',
  flag: '--oidc-issuers <list>',
  variable: 'LIBRETTO_OIDC_ISSUERS',
  purpose: 'the CI systems whose ID tokens trusted publishers may exchange',
  allowed:
    'github, gitlab, or KIND=URL with github, gitlab, forgejo, bitbucket, circleci, buildkite or oidc and an https ' +
    'address, separated by commas, or none (in libretto.json: a list)',
  parse: parseIssuers,
  standard: () => standardIssuers,
  schema: { type: 'array', uniqueItems: true, items: { type: 'string', pattern: issuerPattern } },
};

export const publisherSettings = { oidcIssuers };

/** A list, text with commas, or the text `none`; each address once. */
function parseIssuers(raw: unknown): readonly Issuer[] | undefined {
  const parts: unknown =
    raw === 'none' ? [] : typeof raw === 'string' ? raw.split(',').map((part) => part.trim()) : raw;
  if (!Array.isArray(parts)) return undefined;
  const issuers = parts.map((part: unknown) => (typeof part === 'string' ? parseIssuer(part) : undefined));
  const known = issuers.filter((issuer) => issuer !== undefined);
  const isEach = known.length === issuers.length && new Set(known.map(({ url }) => url)).size === known.length;
  return isEach ? known : undefined;
}
