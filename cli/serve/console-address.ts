// The address of the console for a person's browser. Pure.

import type { ListenAddress } from '../config/setting-values.ts';
import { localUrl, type CertificateNames } from '../text/address.ts';

export interface ConsoleServer {
  readonly main: ListenAddress;
  /** the console's own address; undefined: it is part of the server */
  readonly own: ListenAddress | undefined;
  readonly certificate: CertificateNames | undefined;
  /** the configured address of the registry for its clients */
  readonly publicUrl: string | undefined;
  /** true: people may sign in over plain HTTP from other machines */
  readonly allowsPlainHttp: boolean;
}

/**
 * Ends with a slash. It is the configured address of the registry where people can sign in there, else the address on
 * this machine.
 */
export function consoleUrl({ main, own, certificate, publicUrl, allowsPlainHttp }: ConsoleServer): string {
  const isPublic = own === undefined && publicUrl !== undefined && (allowsPlainHttp || publicUrl.startsWith('https:'));
  const { host, port } = own ?? main;
  return `${isPublic ? publicUrl : localUrl(host, port, certificate)}/ui/`;
}
