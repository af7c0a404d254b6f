// The addresses of this machine. Pure.

/** A network interface, as `os.networkInterfaces()` describes each of its addresses. */
export interface InterfaceAddress {
  readonly address: string;
  readonly family: string;
  readonly internal: boolean;
}

/** The addresses that other machines may reach: IPv4 before IPv6, without loopback and link-local addresses. */
export function reachableAddresses(
  interfaces: Readonly<Record<string, readonly InterfaceAddress[] | undefined>>,
): readonly string[] {
  const all = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address, internal }) => !internal && !/^(?:169\.254\.|fe[89ab])/i.test(address));
  return [...all.filter(({ family }) => family === 'IPv4'), ...all.filter(({ family }) => family !== 'IPv4')].map(
    ({ address }) => address,
  );
}
