// The lines that install a package from this registry with Composer, to be pasted into a shell. Pure.
//
// Each command has `-n`, because a question of Composer (as root it asks to continue) would consume the next pasted
// line. `composer config --auth` writes the token into auth.json, so that neither composer.json nor composer.lock has
// it.

import { quoteForShell } from './quote-for-shell.ts';

export interface Installation {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** the secret, or a placeholder */
  readonly token: string;
  /** `acme/hello`, or `acme/hello:dev-main` */
  readonly requirement: string;
  /** dependencies without a stable release are accepted */
  readonly unstable?: boolean;
  /** Composer requests packages from packagist.org too */
  readonly withPackagist?: boolean;
}

/** For an empty folder: the lines make a project of it. */
export function installLines({ url, token, requirement, unstable, withPackagist }: Installation): string[] {
  return [
    'composer init -n --name=you/app',
    ...registryLines(url, withPackagist === true),
    tokenLine(url, token),
    ...(unstable === true ? ['composer config -n minimum-stability dev', 'composer config -n prefer-stable true'] : []),
    requireLine(requirement),
  ];
}

/**
 * Name the registry in a project. By default Composer refuses plain http, and requests every package from packagist.org
 * too.
 */
export function registryLines(url: string, withPackagist = true): string[] {
  return [
    ...(url.startsWith('http:') ? ['composer config -n secure-http false'] : []),
    ...(withPackagist ? [] : ['composer config -n repositories.packagist.org false']),
    `composer config -n repositories.libretto composer ${quoteForShell(url)}`,
  ];
}

/** Gives Composer the token in a project. */
export function tokenLine(url: string, token: string): string {
  return `composer config -n ${authArguments(new URL(url).host, token)}`;
}

/**
 * The arguments behind `composer config` that write the token into auth.json. `host`: with its port. `token`: as a
 * shell takes it.
 */
export function authArguments(host: string, token: string): string {
  return `--auth ${quoteForShell(`bearer.${host}`)} ${token}`;
}

/** `requirement`: `acme/hello`, `acme/hello:^2.4`, or `acme/hello:dev-main`. */
export function requireLine(requirement: string): string {
  return `composer require -n ${quoteForShell(requirement)}`;
}
