// The address of a registry on a command line: --url, or LIBRETTO_URL in its place.

import { httpAddressFault } from '../../build/contract/address.ts';
import { shown } from '../config/setting-values.ts';
import type { Environment } from '../io/environment.ts';
import { UsageError } from '../io/usage-error.ts';
import { parseUrl } from '../../build/contract/parse-url.ts';

/**
 * The address without a slash at its end; undefined if neither names one. Throws UsageError for an invalid address,
 * host or port.
 */
export function registryAddress(
  flags: Readonly<Record<string, unknown>>,
  environment: Environment,
): string | undefined {
  const { url } = flags;
  if (typeof url === 'string') return parseAddress(url, '--url');
  const variable = environment['LIBRETTO_URL'];
  return variable === undefined || variable === '' ? undefined : parseAddress(variable, 'LIBRETTO_URL');
}

function parseAddress(text: string, by: string): string {
  const fault = httpAddressFault(text);
  if (fault !== undefined)
    throw new UsageError(
      `${by} is ${shown(text)}, which ${fault}. Write an address such as https://packages.example.org.`,
    );
  const url = parseUrl(text);
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== ''
  ) {
    throw new UsageError(
      `${by} ${shown(text)} is not the address of a registry. Write one such as https://packages.example.org, ` +
        'and set the token in LIBRETTO_TOKEN.',
    );
  }
  return url.href.replace(/(?:\/packages\.json)?\/*$/, '');
}
