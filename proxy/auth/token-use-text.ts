// The texts that give a token to Composer: its command, and the content of auth.json. Pure.

import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';

export interface UsedToken {
  /** host and port of the registry, as in its address */
  readonly host: string;
  /** the secret, or a placeholder */
  readonly secret: string;
}

/** The arguments behind `composer config` that write the token into auth.json. */
export function authArguments({ host, secret }: UsedToken): string {
  return `--auth ${quoteForShell(`bearer.${host}`)} ${secret}`;
}

/** The content of auth.json, on one line; COMPOSER_AUTH takes the same. */
export function authDocument({ host, secret }: UsedToken): string {
  return JSON.stringify({ bearer: { [host]: secret } });
}

/** Publishes the package in the current folder. `url`: of the registry. `invocation`: the command `libretto`. */
export function publishLine(secret: string, url: string, invocation: string): string {
  return `LIBRETTO_TOKEN=${secret} ${invocation} publish . --url ${quoteForShell(url)}`;
}
