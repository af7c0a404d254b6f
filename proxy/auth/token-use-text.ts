// The texts that put a token to use: the content of auth.json, and the line that publishes. Pure.

import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';

/** The content of auth.json, on one line; COMPOSER_AUTH takes the same. `host`: of the registry, with its port. */
export function authDocument(host: string, secret: string): string {
  return JSON.stringify({ bearer: { [host]: secret } });
}

/** The line that publishes the package in the current folder. `invocation`: the command that starts this program. */
export function publishLine(secret: string, url: string, invocation: string): string {
  return `LIBRETTO_TOKEN=${secret} ${invocation} publish . --url ${quoteForShell(url)}`;
}
