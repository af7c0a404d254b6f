// The addresses of this machine. Pure.

/** A network interface, as `os.networkInterfaces()` describes each of its addresses. */
export interface InterfaceAddress {
  readonly address: string;
  readonly family: string;
  readonly internal: boolean;
}

export type Interfaces = Readonly<Record<string, readonly InterfaceAddress[] | undefined>>;

/**
 * The addresses that other machines may reach; none for a process that may not ask the kernel, such as a service with
 * `RestrictAddressFamilies` of systemd. `read`: `os.networkInterfaces`.
 */
export function readAddresses(read: () => Interfaces): readonly string[] {
  try {
    return reachableAddresses(read());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SYSTEM_ERROR') return [];
    throw error;
  }
}

/** The addresses that other machines may reach: IPv4 before IPv6, without loopback and link-local addresses. */
export function reachableAddresses(interfaces: Interfaces): readonly string[] {
  const all = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address, internal }) => !internal && !/^(?:169\.254\.|fe[89ab])/i.test(address));
  return [...all.filter(({ family }) => family === 'IPv4'), ...all.filter(({ family }) => family !== 'IPv4')].map(
    ({ address }) => address,
  );
}
