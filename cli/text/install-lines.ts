// The lines that install a package from this registry with Composer, to be pasted into a shell in an empty folder.
// Pure.
//
// `-n` on each: a question of Composer (as root it asks whether to go on) would swallow the next pasted line. The token
// goes into auth.json through `composer config --auth`, so that it ends neither in composer.json nor in composer.lock.

export interface Installation {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** the secret, or a placeholder */
  readonly token: string;
  readonly packageName: string;
}

export function installLines({ url, token, packageName }: Installation): string[] {
  const { host, protocol } = new URL(url);
  return [
    'composer init -n --name=you/app',
    // Composer refuses plain http, and asks packagist.org for every package, unless told otherwise.
    ...(protocol === 'http:' ? ['composer config -n secure-http false'] : []),
    'composer config -n repositories.packagist.org false',
    `composer config -n repositories.libretto composer ${url}`,
    `composer config -n --auth bearer.${host} ${token}`,
    `composer require -n ${packageName}`,
  ];
}
