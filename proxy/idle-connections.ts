// A cap on the connections that one client address holds without a request in progress: idle ones and half-open ones. Half-open are those whose TLS
// handshake, request or body has not arrived in full, and those whose client does not take an answer that is handed over. Requests in progress and
// uploads with a slot never count. Above the cap the oldest idle connections close first, which costs a client a reconnect, and then the oldest
// half-open ones: many users behind one address go on, and one address cannot take all connections.

import type { Socket } from 'node:net';
import { clientAddress, isInRanges, networkOf, type AddressRange } from './observe/client-address.ts';

export interface Waiting {
  /** between two requests; false: half-open */
  readonly idle: boolean;
  /** monotonic milliseconds */
  readonly sinceMs: number;
}

/** What is known of a connection once it speaks HTTP. */
export interface Speaker {
  /** undefined while a request is in progress */
  readonly waiting: () => Waiting | undefined;
  readonly close: () => void;
}

export interface IdleCap {
  /** connections of one address, of the /64 with IPv6; 0: any number */
  readonly most: number;
  readonly trustedProxies: readonly AddressRange[];
  /** monotonic milliseconds */
  readonly elapsed: () => number;
  /** hears of an address whose connections are closed, once until it has none left */
  readonly onExcess: (address: string) => void;
}

interface Held {
  readonly socket: Socket;
  readonly openedMs: number;
  speaker: Speaker | undefined;
}

interface OfAddress {
  readonly held: Set<Held>;
  isTold: boolean;
}

export class IdleConnections {
  readonly #cap: IdleCap;
  readonly #byAddress = new Map<string, OfAddress>();
  readonly #bySocket = new WeakMap<Socket, Held>();

  constructor(cap: IdleCap) {
    this.#cap = cap;
  }

  /** A connection was accepted. Before it says anything it counts as half-open. */
  opened(socket: Socket): void {
    const { most, trustedProxies, elapsed } = this.#cap;
    const address = clientAddress(socket.remoteAddress, undefined, []);
    if (most === 0 || socket.destroyed || isInRanges(address, trustedProxies)) return;
    const network = networkOf(address);
    const held: Held = { socket, openedMs: elapsed(), speaker: undefined };
    const all = this.#byAddress.get(network) ?? { held: new Set(), isTold: false };
    all.held.add(held);
    this.#byAddress.set(network, all);
    this.#bySocket.set(socket, held);
    socket.once('close', () => {
      all.held.delete(held);
      if (all.held.size === 0) this.#byAddress.delete(network);
    });
    if (all.held.size > most) this.#closeOldest(all, address);
  }

  /** `socket`: the bare one, also where the connection has TLS. */
  speaks(socket: Socket, speaker: Speaker): void {
    const held = this.#bySocket.get(socket);
    if (held !== undefined) held.speaker = speaker;
  }

  #closeOldest(all: OfAddress, address: string): void {
    const { most, onExcess } = this.#cap;
    const waiting = [...all.held].flatMap((held) => {
      const state = held.speaker === undefined ? { idle: false, sinceMs: held.openedMs } : held.speaker.waiting();
      return state === undefined ? [] : [{ held, ...state }];
    });
    if (waiting.length <= most) return;
    waiting.sort((one, other) => Number(other.idle) - Number(one.idle) || one.sinceMs - other.sinceMs);
    // a sixteenth more than needed, so that not every further connection looks at all of them
    for (const { held } of waiting.slice(0, waiting.length - most + Math.floor(most / 16))) {
      all.held.delete(held);
      if (held.speaker === undefined) held.socket.destroy();
      else held.speaker.close();
    }
    if (!all.isTold) onExcess(address);
    all.isTold = true;
  }
}
