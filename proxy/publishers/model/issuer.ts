// The issuers of ID tokens that the operator accepts: CI systems by their kind and the exact text of the claim `iss`.

import { isLoopback } from '../../../build/contract/loopback.ts';
import { parseUrl } from '../../../build/contract/parse-url.ts';

/** `oidc`: any other issuer; its publishers need rules for claims. */
export const issuerKinds = ['github', 'gitlab', 'forgejo', 'bitbucket', 'circleci', 'buildkite', 'oidc'] as const;
export type IssuerKind = (typeof issuerKinds)[number];

export interface Issuer {
  readonly kind: IssuerKind;
  /** exactly as the claim `iss` has it */
  readonly url: string;
}

export const kindTitles: Readonly<Record<IssuerKind, string>> = {
  github: 'GitHub Actions',
  gitlab: 'GitLab CI/CD',
  forgejo: 'Forgejo Actions',
  bitbucket: 'Bitbucket Pipelines',
  circleci: 'CircleCI',
  buildkite: 'Buildkite',
  oidc: 'OpenID Connect',
};

/** The public services that a word alone names. */
const hosted: Readonly<Partial<Record<string, string>>> = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
};

export const standardIssuers: readonly Issuer[] = ['github', 'gitlab'].flatMap((text) => parseIssuer(text) ?? []);

/** For schemas; `parseIssuer` also checks the address. */
export const issuerPattern = `^(?:github|gitlab|(?:${issuerKinds.join('|')})=https?://[^\\s?#@,]+)$`;

/** `github`, `gitlab`, or KIND=URL. undefined for another text. */
export function parseIssuer(text: string): Issuer | undefined {
  const known = hosted[text];
  if (known !== undefined) return { kind: text as IssuerKind, url: known };
  const [, word = '', url = ''] = /^([a-z]+)=(\S+)$/.exec(text) ?? [];
  const kind = issuerKinds.find((one) => one === word);
  return kind === undefined || !isIssuerUrl(url) ? undefined : { kind, url };
}

/** Keys that came without TLS could be anybody's, unless they come from this machine. */
function isIssuerUrl(text: string): boolean {
  const url = parseUrl(text);
  if (url === undefined || /[?#@,]/.test(text)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}
