// The settings that say whom the registry trusts: people who sign in with a password, signers of git tags, and the
// issuers of ID tokens.

import { parseEmail, type Email } from '../../proxy/auth/email.ts';
import { flagSetting, pathSetting, type Setting } from './setting.ts';
import { listedIn } from './setting-values.ts';
import { issuerPattern, parseIssuer, standardIssuers, type Issuer } from '../../proxy/publishers/model/issuer.ts';

/** `only`: the addresses of admins with a second factor */
export type LocalSignInValue = 'everybody' | { readonly only: readonly Email[] };

const emailPattern = String.raw`^[^\s@,]{1,64}@[^\s@.,]+(\.[^\s@.,]+)*$`;

const localSignIn: Setting<LocalSignInValue> = {
  key: 'localSignIn',
  flag: '--local-sign-in <who>',
  variable: 'LIBRETTO_LOCAL_SIGN_IN',
  purpose: 'who signs in with a password of this registry: everybody, or these admins alone',
  allowed:
    'everybody, or the e-mail addresses of admins with a second factor, separated by commas ' +
    '(in libretto.json: {"only": ["ada@example.org"]})',
  parse: parseLocalSignIn,
  standard: () => 'everybody',
  schema: {
    anyOf: [
      { const: 'everybody' },
      {
        type: 'object',
        required: ['only'],
        properties: {
          only: { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string', pattern: emailPattern } },
        },
        additionalProperties: false,
      },
    ],
  },
};

export const signInSettings = { localSignIn };

/** `everybody`, text with commas, or an object with the list `only`; each address once. */
function parseLocalSignIn(raw: unknown): LocalSignInValue | undefined {
  if (raw === 'everybody') return raw;
  const listed = typeof raw === 'string' ? raw.split(',') : onlyOf(raw);
  if (!Array.isArray(listed) || listed.length === 0) return undefined;
  const emails = listed.map((one: unknown) =>
    typeof one === 'string' && new RegExp(emailPattern, 'u').test(one.trim()) ? parseEmail(one) : undefined,
  );
  const known = emails.filter((email) => email !== undefined);
  return known.length === emails.length && new Set(known).size === known.length ? { only: known } : undefined;
}

function onlyOf(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Object.keys(raw).join() !== 'only') return undefined;
  return (raw as { readonly only: unknown }).only;
}

export const signerSettings = {
  signers: pathSetting({
    key: 'signers',
    variable: 'LIBRETTO_SIGNERS',
    purpose: 'the SSH keys that sign the git tags of releases',
    allowed: 'an allowed-signers file of OpenSSH',
  }),
  signersKeyring: pathSetting({
    key: 'signersKeyring',
    variable: 'LIBRETTO_SIGNERS_KEYRING',
    purpose: 'the OpenPGP keys that sign the git tags of releases',
    allowed: 'a file of public keys, as `gpg --export` writes it',
  }),
};

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

const artifactoryExchange = flagSetting({
  key: 'artifactoryExchange',
  flag: '--artifactory-exchange',
  variable: 'LIBRETTO_ARTIFACTORY_EXCHANGE',
  purpose: 'answer clients that exchange ID tokens in the form of Artifactory, such as Dependabot',
});

export const publisherSettings = { oidcIssuers, artifactoryExchange };

/** A list, text with commas, or the text `none`; each address once. */
function parseIssuers(raw: unknown): readonly Issuer[] | undefined {
  const parts = listedIn(raw);
  if (!Array.isArray(parts)) return undefined;
  const issuers = parts.map((part: unknown) => (typeof part === 'string' ? parseIssuer(part) : undefined));
  const known = issuers.filter((issuer) => issuer !== undefined);
  const isEach = known.length === issuers.length && new Set(known.map(({ url }) => url)).size === known.length;
  return isEach ? known : undefined;
}
