// Checks that the metadata-url of packages.json passes the reverse proxy. The check sends no token: a refusal by the
// registry proves that the request arrived.

import { exactMetadataUrl, plainMetadataUrl } from '../../build/contract/documents.ts';
import { pathBelowHost } from '../../build/contract/registry-address.ts';
import { sendProbe, jsonOf, describeResponse, type ProbeResponse } from './send-probe.ts';
import { failed, ok, skipped, type Finding } from './finding.ts';

/** The package need not exist: without a token every name gets the same answer. */
export const anyPackage = 'libretto/doctor';

export const setPlain = (url: string): string =>
  `Set metadataUrl to ${pathBelowHost(url)}${plainMetadataUrl} (--metadata-url, LIBRETTO_METADATA_URL, or \`libretto ` +
  `settings set metadata_url\`).`;

/**
 * Resolves an address like Composer: a path starts at the host, regardless of the registry's own path
 * (ComposerRepository.php, canonicalizeUrl).
 */
export const resolved = (url: string, form: string): string =>
  form.startsWith('/') ? `${new URL(url).origin}${form}` : form;

/** True for an address of the same host that is not below the registry: another service may answer there. */
export const isOutsideRegistry = (url: string, address: string): boolean =>
  new URL(address).host === new URL(url).host && !new URL(address).href.startsWith(`${url}/`);

export const setPublicUrl = (url: string): string =>
  `Set "publicUrl" to ${url} on the host of the registry, and restart the server. Composer resolves a path against ` +
  'the host, without the path of the registry.';

/** The path before `/p2/` in a form, if it is not that of the address. */
export function pathElsewhere(url: string, form: string): string | undefined {
  const path = /^(.*)\/p2\//.exec(new URL(resolved(url, form)).pathname)?.[1];
  return path === pathBelowHost(url) ? undefined : path;
}

/** The reason why a form does not work, and the repair. */
export function lostForm(form: string, address: string, reply: ProbeResponse, url: string): Finding {
  if (isOutsideRegistry(url, address))
    return failed('url.metadata', `${form} is not below ${url}: clients request ${address}.`, setPublicUrl(url));
  const message = `${form} does not get through: ${address} answers ${describeResponse(reply)}.`;
  const elsewhere = pathElsewhere(url, form);
  if (elsewhere !== undefined)
    return failed(
      'url.metadata',
      message,
      `packages.json names addresses below ${elsewhere || '/'}: give --url with that path. If clients use ${url}, ` +
        'correct publicUrl or metadataUrl.',
    );
  const ofExact =
    'The reverse proxy refuses it, and the registry cannot detect the proxy: requests have no HTTP/1.0, Via, ' +
    `Forwarded or X-Forwarded-For. Configure the proxy to add X-Forwarded-For. Or: ${setPlain(url)}`;
  const advice = form.endsWith(exactMetadataUrl)
    ? ofExact
    : 'Configure the reverse proxy to pass on that path unchanged; publicUrl or metadataUrl defines its beginning.';
  return failed('url.metadata', message, advice);
}

/** `health`: the response of /health, with the addresses that packages.json gives to clients of this route. */
export async function checkForm(url: string, health: ProbeResponse, now: () => Date): Promise<Finding> {
  const { metadata_url: form } = jsonOf(health.text);
  if (typeof form !== 'string')
    return skipped(
      'url.metadata',
      'Nothing is published, or the registry is of an older version: its packages.json has no metadata-url.',
    );
  const address = resolved(url, form.replace('%package%', anyPackage));
  const reply = await sendProbe(address, {}, now);
  if (jsonOf(reply.text)['code'] === 'AUTHENTICATION_REQUIRED' && !isOutsideRegistry(url, address))
    return ok('url.metadata', `${form} gets through`);
  return lostForm(form, address, reply, url);
}
