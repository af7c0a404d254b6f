// The lines that put a token to use: Composer's command, auth.json, and what its limit allows. Pure.

import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';
import { counted } from '../io/output.ts';
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
    'Give it to Composer, in a project (or with --global, for all projects of a user):',
    `  composer config --auth ${quoteForShell(`bearer.${host}`)} ${secret}`,
    'Or write auth.json:',
    `  ${JSON.stringify({ bearer: { [host]: secret } })}`,
    ...(token.kind === 'write'
      ? [
          'Publish with it, in the folder of a package:',
          `  LIBRETTO_TOKEN=${secret} ${invocation} publish . --url ${quoteForShell(url)}`,
        ]
      : []),
    ...(remark === undefined ? [] : [remark]),
    '',
    describeAllowance(token.limit),
  ];
}

const packages = 60;
/** one archive for each package, and the report of the installs (measured: docs/how-to/scaling.md) */
const installRequests = packages + 1;
/** packages.json, one document and one archive for each package, and the report of the installs */
const updateRequests = 2 * packages + 2;

/** The installs that an hourly limit allows to clients with an empty cache. `limit`: 0 for none. */
export function describeAllowance(limit: number): string {
  if (limit === 0) return 'The requests of this token are not limited.';
  const runs = (requests: number): string => {
    const count = Math.floor(limit / requests);
    return `${count === 0 ? 'no run' : counted(count, 'run')} of`;
  };
  return (
    `${limit} requests an hour allow ${runs(installRequests)} \`composer install\` with ${packages} packages and an ` +
    `empty cache, or ${runs(updateRequests)} \`composer update\`. A filled cache saves the archives.`
  );
}
