// Which connections are open, and which of them are being answered: what draining needs to know to cut nobody off.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export class Connections {
  readonly #open = new Set<Socket>();
  readonly #answering = new Map<Duplex, number>();
  readonly #ended = new WeakSet<Duplex>();

  opened(socket: Socket): void {
    socket.setMaxListeners(0); // one for each pipelined request that is being answered
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#answering.delete(socket);
    });
  }

  /**
   * A request was handed to the handler. An answer that is already complete needs no watching: its bytes are queued on the socket. It is the last of
   * its connection: all others are sent together, later.
   */
  answering(socket: Socket, response: ServerResponse): void {
    if (response.writableEnded) {
      this.#ended.add(socket);
      return;
    }
    this.#answering.set(socket, (this.#answering.get(socket) ?? 0) + 1);
    response.once('close', () => this.#answered(socket));
  }

  count(): number {
    return this.#open.size;
  }

  isAnswering(socket: Duplex): boolean {
    return this.#answering.has(socket);
  }

  /** The last answer was said there. What the parser finds behind it gets no second one: to a front that would be the answer to another request. */
  hasEnded(socket: Duplex): boolean {
    return this.#ended.has(socket);
  }

  /** Closes what is not being answered, after the bytes still queued on it. */
  closeIdle(): void {
    for (const socket of this.#open) if (!this.#answering.has(socket)) socket.destroySoon();
  }

  #answered(socket: Socket): void {
    const left = (this.#answering.get(socket) ?? 1) - 1;
    if (left === 0) this.#answering.delete(socket);
    else this.#answering.set(socket, left);
  }
}
