// The configured address of the registry for its clients, and the settings that may contradict it.

import { pathBelowHost } from '../../build/contract/registry-address.ts';
import { formatOrigin, type Config, type Origin } from './config.ts';

export interface PublicUrl {
  readonly url: string;
  readonly origin: Origin;
}

/** `publicUrl`, else an absolute `distUrl`, which is the registry's own address too; undefined without both. */
export function publicUrlOf({ publicUrl, distUrl }: Pick<Config, 'publicUrl' | 'distUrl'>): PublicUrl | undefined {
  if (publicUrl.value !== undefined) return { url: publicUrl.value, origin: publicUrl.origin };
  return distUrl.value.form === 'path' ? undefined : { url: distUrl.value.base, origin: distUrl.origin };
}

/** The path below which clients reach the registry, without a slash at its end: empty at the root of a host. */
export function publicPathOf({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  return publicUrl.value === undefined ? '' : pathBelowHost(publicUrl.value);
}

/** A sentence for each of `metadataUrl` and `distUrl` that names another place than `publicUrl`. */
export function addressConflicts({
  publicUrl: { value: url },
  metadataUrl,
  distUrl,
}: Pick<Config, 'publicUrl' | 'metadataUrl' | 'distUrl'>): readonly string[] {
  if (url === undefined) return [];
  const sentence = ({ origin }: Pick<PublicUrl, 'origin'>, what: string, address: string): string =>
    `${formatOrigin(origin)} differs from publicUrl, ${url}: clients request ${what} at ${address}.`;
  const metadata = new URL(metadataUrl.value, url).href;
  const archives = distUrl.value.form === 'path' ? url : distUrl.value.base;
  return [
    ...(metadata.startsWith(`${url}/`) ? [] : [sentence(metadataUrl, 'metadata', metadata)]),
    ...(archives === url ? [] : [sentence(distUrl, 'archives', archives)]),
  ];
}
