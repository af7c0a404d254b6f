// The configured address of the registry for its clients.

import type { Config, Origin } from './config.ts';

export interface PublicUrl {
  readonly url: string;
  readonly origin: Origin;
}

/** `publicUrl`, else an absolute `distUrl`, which is the registry's own address too; undefined without both. */
export function publicUrlOf({ publicUrl, distUrl }: Pick<Config, 'publicUrl' | 'distUrl'>): PublicUrl | undefined {
  if (publicUrl.value !== undefined) return { url: publicUrl.value, origin: publicUrl.origin };
  return distUrl.value.form === 'path' ? undefined : { url: distUrl.value.base, origin: distUrl.origin };
}
