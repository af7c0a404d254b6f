// The lines that put a token to use: Composer's command, auth.json, and what its limit allows. Pure.

import { authArguments, registryLines } from '../../build/shared/text/install-lines.ts';
import { describeAllowance } from '../../proxy/auth/token-allowance.ts';
import { authDocument, publishLine } from '../../proxy/auth/token-use-text.ts';
import type { TokenKind } from '../../proxy/core/tokens/token-format.ts';

export interface TokenUseAdvice {
  /** `limit`: requests an hour; 0: without a limit */
  readonly token: { readonly kind: TokenKind; readonly limit: number };
  /** undefined: a placeholder stands for it */
  readonly secret: string | undefined;
  /** the host of the registry for clients, with its port, or a placeholder */
  readonly host: string;
  /** the address with this host */
  readonly url: string;
  /** explains the address, a sentence */
  readonly remark: string | undefined;
  /** the command that starts this program */
  readonly invocation: string;
}

export function tokenUseLines({ token, secret: shown, host, url, remark, invocation }: TokenUseAdvice): string[] {
  const secret = shown ?? 'TOKEN';
  return [
    '',
    'Give Composer the token, for all projects of this user (without --global: for the project in this folder):',
    `  composer config --global ${authArguments(host, secret)}`,
    'Or write auth.json; in a CI job, the variable COMPOSER_AUTH takes the same:',
    `  ${authDocument(host, secret)}`,
    'Name the registry in a project:',
    ...registryLines(url).map((line) => `  ${line}`),
    ...(token.kind === 'write'
      ? ['Publish with it, in the folder of a package:', `  ${publishLine(secret, url, invocation)}`]
      : []),
    ...(shown === undefined
      ? ['TOKEN stands for the token, which standard output has. At a terminal, these lines contain it.']
      : []),
    ...(remark === undefined ? [] : [remark]),
    '',
    describeAllowance(token.limit),
  ];
}
