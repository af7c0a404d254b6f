// The answers that `libretto init` collects, from flags or at a terminal. Pure.

import type { downloadCounts } from '../../proxy/settings/definitions.ts';

/** One source: a path with its kind, or the URL of a git repository. */
export type SourceAnswer =
  | { readonly prefix: 'dir' | 'git' | 'artifact'; readonly path: string }
  | { readonly url: string };

export const proxyKinds = ['none', 'nginx', 'caddy', 'haproxy'] as const;
export type ProxyKind = (typeof proxyKinds)[number];

export const tlsPlaces = ['proxy', 'own', 'none'] as const;
/** where TLS ends: at the reverse proxy, in Libretto with its own certificate, or nowhere */
export type TlsPlace = (typeof tlsPlaces)[number];

export const archiveForms = ['path', 'absolute'] as const;
/** the form of archive addresses in the metadata: `path` is the standard */
export type ArchiveForm = (typeof archiveForms)[number];

export interface Answers {
  readonly sources: readonly SourceAnswer[];
  /** undefined: only this machine uses the registry */
  readonly publicUrl: string | undefined;
  readonly proxy: ProxyKind;
  /** addresses and ranges of the reverse proxy, as Libretto sees them */
  readonly trustedProxies: readonly string[];
  readonly tls: TlsPlace;
  /** absolute; both, or neither */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** private addresses and ranges of git servers */
  readonly gitHosts: readonly string[];
  /** `HOST:PORT` */
  readonly listen: string;
  /** absolute: the folder for the systemd units; undefined: none are written */
  readonly systemd: string | undefined;
  /** absolute: the data folder */
  readonly data: string;
  /** absolute: the file for the configuration of the reverse proxy; undefined: none is written */
  readonly proxyFile: string | undefined;
  readonly archives: ArchiveForm;
  /** undefined: nobody has answered, so the console asks */
  readonly countBy: (typeof downloadCounts)[number] | undefined;
}

/** The answers so far. */
export type Draft = Partial<Answers>;

/** True if clients use HTTPS. */
export function isHttps({ publicUrl }: Draft): boolean {
  return publicUrl !== undefined && publicUrl.startsWith('https:');
}
