// Checks the addresses in packages.json. Each has to be below the address of the registry, and a request has to arrive
// there. The check sends no token: a refusal by the registry proves that the request arrived.

import { ask, jsonOf, sayReply, type Reply } from './ask.ts';
import { failed, ok, type Finding } from './finding.ts';
import { anyPackage, isOutside, resolved, setPublicUrl } from './outside-form.ts';

/** The name of the address in packages.json, and the address. */
type Named = readonly [string, string];

/** undefined: all addresses of this host are below the registry. `root`: packages.json as it came. */
export function findOutside(url: string, root: Reply): Finding | undefined {
  const outside = namedIn(url, root).filter(([, address]) => isOutside(url, address));
  if (outside.length === 0) return undefined;
  return failed(
    'url.addresses',
    `packages.json names addresses that are not below ${url}: ${outside.map((one) => one.join(' ')).join(', ')}.`,
    setPublicUrl(url),
  );
}

/** Documents and archives have checks of their own. */
export async function checkOffers(url: string, root: Reply, now: () => Date): Promise<Finding> {
  for (const [name, address] of namedIn(url, root)) {
    if (name === 'metadata-url' || name === 'mirrors') continue;
    const reply = await ask(address.replace('%package%', anyPackage).replaceAll(/%\w+%/g, ''), {}, now);
    if (jsonOf(reply.text)['code'] !== 'AUTHENTICATION_REQUIRED')
      return failed(
        'url.addresses',
        `The address of ${name} in packages.json does not get through: ${address} answers ${sayReply(reply)}.`,
        'Configure the reverse proxy to pass on every path below the registry. The setting publicUrl has the address ' +
          'that clients use, with its path.',
      );
  }
  return ok('url.addresses', 'The other addresses in packages.json get through');
}

function namedIn(url: string, { text }: Reply): readonly Named[] {
  const root = jsonOf(text);
  const { mirrors, 'security-advisories': advisories, filter } = root;
  const found: readonly (readonly [string, unknown])[] = [
    ...['metadata-url', 'search', 'list', 'providers-api', 'notify-batch'].map((key) => [key, root[key]] as const),
    ['mirrors', memberOf(Array.isArray(mirrors) ? mirrors[0] : undefined, 'dist-url')],
    ['security-advisories', memberOf(advisories, 'api-url')],
    ['filter', memberOf(filter, 'api-url')],
    ['filter summary', memberOf(filter, 'summary-url')],
  ];
  return found.flatMap(([name, form]) => (typeof form === 'string' ? [[name, resolved(url, form)]] : []));
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}
