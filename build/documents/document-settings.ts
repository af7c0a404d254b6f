// The settings that go into documents.

export interface DocumentSettings {
  readonly metadataUrl: string;
  /**
   * undefined: dist.url is a path and packages.json names the mirror; else the address every dist.url starts with,
   * without a slash at its end
   */
  readonly distBaseUrl: string | undefined;
  /** the path below which clients reach the registry, without a slash at its end; default: the root of its host */
  readonly publicPath?: string | undefined;
  /** default `releases`: dev versions have no checksum, so that `dev-main#<older commit>` can be installed */
  readonly distShasum?: 'always' | 'releases';
  /** the registry's description in packages.json; Composer ignores it */
  readonly about?: RegistryDescription;
  /**
   * package name → the value that replaces `abandoned` of its composer.json: false, or the name or address of a
   * replacement
   */
  readonly abandoned?: Readonly<Record<string, boolean | string>>;
}

export interface RegistryDescription {
  readonly name?: string;
  readonly description?: string;
  readonly homepage?: string;
}

/** The document settings of a request, in the order of their digest. */
export function documentSettings({
  metadataUrl,
  distBaseUrl,
  distShasum = 'releases',
  about = {},
  abandoned = {},
  publicPath,
}: DocumentSettings): DocumentSettings {
  return { metadataUrl, distBaseUrl, distShasum, about, abandoned, publicPath };
}
