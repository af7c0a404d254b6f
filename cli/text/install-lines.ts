// The lines that install a package from this registry with Composer, to be pasted into a shell in an empty folder.
// Pure.
//
// Each command has `-n`, because a question of Composer (as root it asks to continue) would consume the next pasted
// line. `composer config --auth` writes the token into auth.json, so that neither composer.json nor composer.lock has
// it.

import { quoteForShell } from '../../build/shared/text/quote-for-shell.ts';

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

export function installLines({ url, token, requirement, unstable, withPackagist }: Installation): string[] {
  const { host, protocol } = new URL(url);
  return [
    'composer init -n --name=you/app',
    // By default Composer refuses plain http, and requests every package from packagist.org.
    ...(protocol === 'http:' ? ['composer config -n secure-http false'] : []),
    ...(withPackagist === true ? [] : ['composer config -n repositories.packagist.org false']),
    `composer config -n repositories.libretto composer ${quoteForShell(url)}`,
    `composer config -n --auth ${quoteForShell(`bearer.${host}`)} ${token}`,
    ...(unstable === true ? ['composer config -n minimum-stability dev', 'composer config -n prefer-stable true'] : []),
    `composer require -n ${quoteForShell(requirement)}`,
  ];
}
