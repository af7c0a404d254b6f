// A cap on the connections that one client address holds without a request in progress: idle ones and half-open ones.
// Half-open connections are those whose TLS handshake, request or body is incomplete, or whose client does not read its
// answer. Requests in progress and uploads with a slot never count. Above the cap the oldest idle connections close
// first, which costs a client a reconnect, then the oldest half-open ones. Many users behind one address can therefore
// continue, and one address cannot take all connections. Half-open connections are reset. After a normal end the kernel
// would keep unread answers for minutes, up to a megabyte each, and exceed its memory for sockets.

import type { Socket } from 'node:net';
import { clientAddress, isInRanges, networkOf, type AddressRange } from './client-address.ts';

export interface WaitingConnection {
  /** between two requests; false: half-open */
  readonly idle: boolean;
  /** monotonic milliseconds */
  readonly sinceMs: number;
}

/** The state of a connection once it speaks HTTP. */
export interface HttpConnectionState {
  /**
   * undefined while a request is in progress. `nowMs`: monotonic; with infinity no client has time to take a piece of
   * its answer
   */
  readonly waiting: (nowMs: number) => WaitingConnection | undefined;
  /** ends an idle connection in order */
  readonly end: () => void;
}

export interface IdleCap {
  /** connections of one address, of the /64 with IPv6; 0: any number */
  readonly most: number;
  /**
   * Above this number of all connections, an address gets no time to read its answers: each connection that waits for
   * its client counts as half-open immediately. Answers from memory need no token, and would otherwise hold every
   * connection of the server.
   */
  readonly strictAboveConnections: number;
  readonly trustedProxies: readonly AddressRange[];
  /**
   * While requests in progress keep an address above the cap, its connections are examined again after this number of
   * milliseconds.
   */
  readonly recheckMs: number;
  /** monotonic milliseconds */
  readonly elapsed: () => number;
  /** called with an address whose connections are closed, once until it has no connection left */
  readonly onExcess: (address: string) => void;
}

interface IdleConnection {
  readonly socket: Socket;
  readonly openedMs: number;
  speaker: HttpConnectionState | undefined;
}

interface OfAddress {
  readonly connections: Set<IdleConnection>;
  /** number of connections since the last check */
  opened: number;
  again: NodeJS.Timeout | undefined;
  isReported: boolean;
}

export class IdleConnections {
  readonly #cap: IdleCap;
  readonly #byAddress = new Map<string, OfAddress>();
  readonly #bySocket = new WeakMap<Socket, IdleConnection>();

  constructor(cap: IdleCap) {
    this.#cap = cap;
  }

  /** A connection was accepted. It counts as half-open until its first byte. */
  opened(socket: Socket): void {
    const { most, trustedProxies, elapsed } = this.#cap;
    const address = clientAddress(socket.remoteAddress, undefined, []);
    if (most === 0 || socket.destroyed || isInRanges(address, trustedProxies)) return;
    const network = networkOf(address);
    const connection: IdleConnection = { socket, openedMs: elapsed(), speaker: undefined };
    const all = this.#byAddress.get(network) ?? {
      connections: new Set(),
      opened: 0,
      again: undefined,
      isReported: false,
    };
    all.connections.add(connection);
    all.opened += 1;
    this.#byAddress.set(network, all);
    this.#bySocket.set(socket, connection);
    socket.once('close', () => {
      all.connections.delete(connection);
      if (all.connections.size > 0) return;
      clearTimeout(all.again);
      if (this.#byAddress.get(network) === all) this.#byAddress.delete(network);
    });
    // not for each connection: while many requests are in progress, most of these searches find nothing
    if (all.connections.size > most && all.opened > most / 16) this.#look(all, address);
  }

  /** `socket`: the bare socket, also for a connection with TLS. */
  speaks(socket: Socket, speaker: HttpConnectionState): void {
    const connection = this.#bySocket.get(socket);
    if (connection !== undefined) connection.speaker = speaker;
  }

  #look(all: OfAddress, address: string): void {
    const { most, recheckMs } = this.#cap;
    all.opened = 0;
    this.#closeOldest(all, address);
    if (all.connections.size <= most) return;
    all.again ??= setTimeout(() => {
      all.again = undefined;
      if (all.connections.size > most) this.#look(all, address);
    }, recheckMs);
  }

  #closeOldest(all: OfAddress, address: string): void {
    const { most, strictAboveConnections, elapsed, onExcess } = this.#cap;
    const nowMs = all.connections.size > strictAboveConnections ? Number.POSITIVE_INFINITY : elapsed();
    const waiting = [...all.connections].flatMap((connection) => {
      const state =
        connection.speaker === undefined
          ? { idle: false, sinceMs: connection.openedMs }
          : connection.speaker.waiting(nowMs);
      return state === undefined ? [] : [{ connection, ...state }];
    });
    if (waiting.length <= most) return;
    waiting.sort((one, other) => Number(other.idle) - Number(one.idle) || one.sinceMs - other.sinceMs);
    // a sixteenth more than needed, so that not every further connection causes a check of all
    for (const { connection, idle } of waiting.slice(0, waiting.length - most + Math.floor(most / 16))) {
      all.connections.delete(connection);
      if (idle) connection.speaker?.end();
      else reset(connection.socket);
    }
    if (!all.isReported) onExcess(address);
    all.isReported = true;
  }
}

/** libuv refuses to reset a socket that is shutting down; such a socket has sent all its bytes. */
function reset(socket: Socket): void {
  if (socket.writableEnded && socket.writableLength === 0) socket.destroy();
  else socket.resetAndDestroy();
}
