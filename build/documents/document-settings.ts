// The settings that go into documents, and the digest that tells whether they are those of the last publication.

import { digestOf } from '../shared/text/digest-of.ts';
import { memoryFormat } from '../memory/source-memory.ts';

/**
 * Moves when the same records would give other bytes, or more is kept of each version: then everything is compared
 * again.
 */
export const documentRecipe = 3;

export interface DocumentSettings {
  readonly metadataUrl: string;
  /**
   * undefined: dist.url is a path and packages.json names the mirror; else the address every dist.url starts with,
   * without a slash at its end
   */
  readonly distBaseUrl: string | undefined;
  /** `releases`, where not given: dev versions have no checksum, so that `dev-main#<older commit>` can be installed */
  readonly distShasum?: 'always' | 'releases';
  /** what packages.json says of the registry itself; Composer takes no notice of it */
  readonly about?: RegistryDescription;
  /**
   * package name → what its records say instead of what its composer.json does: false for not abandoned, a name or
   * address for its replacement
   */
  readonly abandoned?: Readonly<Record<string, boolean | string>>;
}

export interface RegistryDescription {
  readonly name?: string;
  readonly description?: string;
  readonly homepage?: string;
}

/** Those of a request, in the order that their digest is made of. */
export function documentSettings({
  metadataUrl,
  distBaseUrl,
  distShasum = 'releases',
  about = {},
  abandoned = {},
}: DocumentSettings): DocumentSettings {
  return { metadataUrl, distBaseUrl, distShasum, about, abandoned };
}

export function digestSettings(settings: DocumentSettings): string {
  return digestOf(JSON.stringify([documentRecipe, memoryFormat, settings]));
}
