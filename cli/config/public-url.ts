// The configured address of the registry for its clients, and the settings that may contradict it.

import { pathBelowHost } from '../../build/contract/registry-address.ts';
import { formatOrigin, type Config, type SettingOrigin } from './config.ts';

export interface PublicUrl {
  readonly url: string;
  readonly origin: SettingOrigin;
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

/** What to do about `addressConflicts`. */
export const addressAdvice = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  `${publicUrl.value === undefined ? 'Set "publicUrl" to the address of clients, with its path: it is enough. ' : ''}` +
  'Remove that setting, or correct it.';

/** A sentence for each of `metadataUrl` and `distUrl` that names another place than the rest of packages.json. */
export function addressConflicts(
  config: Pick<Config, 'publicUrl' | 'metadataUrl' | 'distUrl' | 'origin'>,
): readonly string[] {
  const { publicUrl, metadataUrl, distUrl } = config;
  const url = publicUrl.value;
  if (url === undefined) return pathAlone(config);
  const differs = (origin: SettingOrigin): string => `${formatOrigin(origin)} differs from publicUrl, ${url}`;
  const metadata = new URL(metadataUrl.value, url).href;
  const archives = distUrl.value.form === 'path' ? url : distUrl.value.base;
  return [
    ...(metadata.startsWith(`${url}/p2/`)
      ? []
      : [`${differs(metadataUrl.origin)}: clients request metadata at ${metadata}.`]),
    ...(archives === url ? [] : [`${differs(distUrl.origin)}: builds write addresses of archives at ${archives}.`]),
  ];
}

/** A setting with a path moves nothing else. A tree at an origin has the path of its builder. */
function pathAlone({ metadataUrl, distUrl, origin }: Pick<Config, 'metadataUrl' | 'distUrl' | 'origin'>): string[] {
  if (origin.value !== undefined) return [];
  const isBelow = distUrl.value.form === 'absolute' && pathBelowHost(distUrl.value.base) !== '';
  if (!isBelow && !/^\/.+\/p2\/%package%/.test(metadataUrl.value)) return [];
  return [
    `${formatOrigin((isBelow ? distUrl : metadataUrl).origin)} has a path, and publicUrl is not set: clients request ` +
      'searches, lists and reports of installs at the root of the host.',
  ];
}
