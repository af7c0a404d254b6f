// Checks the paths that packages.json names. Each has to be below the address of the registry, and a request has to
// arrive there. The check sends no token: a refusal by the registry proves that the request arrived.

import { sendProbe, jsonOf, describeResponse, type ProbeResponse } from './send-probe.ts';
import { failed, ok, type Finding } from './finding.ts';
import { anyPackage, isOutsideRegistry, resolved, setPublicUrl } from './outside-form.ts';

/** What the registry itself says to a request without a token; `notify-batch` takes no GET. */
const refusals: readonly unknown[] = ['AUTHENTICATION_REQUIRED', 'METHOD_NOT_ALLOWED'];

/** undefined: all paths are below the registry. `root`: packages.json as it came. */
export function addressesOutside(url: string, root: ProbeResponse): Finding | undefined {
  const outside = namedIn(url, root).filter(({ address }) => isOutsideRegistry(url, address));
  if (outside.length === 0) return undefined;
  const places = outside.map(({ key, address }) => `${key} ${address}`).join(', ');
  return failed('url.addresses', `packages.json names addresses outside of ${url}: ${places}.`, setPublicUrl(url));
}

/** Documents and archives have checks of their own. */
export async function checkOffers(url: string, root: ProbeResponse, now: () => Date): Promise<Finding> {
  for (const { key, address } of namedIn(url, root)) {
    if (key === 'metadata-url' || key === 'mirrors') continue;
    const reply = await sendProbe(address.replace('%package%', anyPackage).replaceAll(/%\w+%/g, ''), {}, now);
    if (!refusals.includes(jsonOf(reply.text)['code']))
      return failed(
        'url.addresses',
        `The address of ${key} in packages.json does not get through: ${address} answers ${describeResponse(reply)}.`,
        'Configure the reverse proxy to pass on every path below the registry, and set publicUrl to the address of ' +
          'clients, with its path.',
      );
  }
  return ok('url.addresses', 'The other addresses in packages.json get through');
}

/** Keys of packages.json with texts for people. */
const texts = new Set(['name', 'description', 'homepage', 'warnings', 'infos']);

function namedIn(url: string, { text }: ProbeResponse): { readonly key: string; readonly address: string }[] {
  return Object.entries(jsonOf(text))
    .filter(([key]) => !texts.has(key))
    .flatMap(([key, value]) => pathsIn(value).map((path) => ({ key, address: resolved(url, path) })));
}

function pathsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.startsWith('/') ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}
