// The lines that put a token to use: Composer's command, auth.json, and what its limit allows. Pure.

import { authArguments, registryLines } from '../../build/shared/text/install-lines.ts';
import { describeAllowance } from '../../proxy/auth/token-allowance.ts';
import { authDocument, publishLine } from '../../proxy/auth/token-use-text.ts';
import type { TokenDocument } from './token-text.ts';

export interface TokenUseAdvice {
  readonly token: Pick<TokenDocument, 'kind' | 'limit'>;
  /** the secret, or a placeholder */
  readonly secret: string;
  /** the host of the registry for clients, with its port, or a placeholder */
  readonly host: string;
  /** the address with this host */
  readonly url: string;
  /** explains the address, a sentence */
  readonly remark: string | undefined;
  /** the command that starts this program */
  readonly invocation: string;
}

export function tokenUseLines({ token, secret, host, url, remark, invocation }: TokenUseAdvice): string[] {
  return [
    '',
    'Name the registry and the token in a project of Composer (or with --global, for all projects of a user):',
    ...registryLines(url).map((line) => `  ${line}`),
    `  composer config ${authArguments(host, secret)}`,
    'Or write auth.json:',
    `  ${authDocument(host, secret)}`,
    ...(token.kind === 'write'
      ? ['Publish with it, in the folder of a package:', `  ${publishLine(secret, url, invocation)}`]
      : []),
    ...(remark === undefined ? [] : [remark]),
    '',
    describeAllowance(token.limit),
  ];
}
