// Tracks the open connections and their requests in progress, so that draining cuts off no answer.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isInProgress } from './http-request.ts';
import type { HttpConnectionState, WaitingConnection } from './idle-connections.ts';
import type { ServerRequest } from './server-request.ts';

interface Connection {
  readonly socket: Socket;
  /** the answers of requests that take a while, until each is sent */
  readonly answers: ServerResponse[];
  /** an answer was out */
  hasAnswered: boolean;
  /**
   * the time of its opening, of its last request with a body, or of the end of its last answer: monotonic milliseconds
   */
  sinceMs: number;
}

export class OpenConnections {
  /**
   * Open connections, each with its answers in progress. An entry lives as long as its connection. A Map that gains and
   * loses an entry with every request rebuilds itself all the time, and its old tables cause full garbage collections.
   */
  readonly #open = new Map<Duplex, Connection>();
  readonly #ended = new WeakSet<Duplex>();

  readonly #elapsed: () => number;

  /** `elapsed`: monotonic milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  opened(socket: Socket): void {
    socket.setMaxListeners(0); // one listener for each pipelined request in progress
    this.#open.set(socket, { socket, answers: [], hasAnswered: false, sinceMs: this.#elapsed() });
    socket.once('close', () => this.#open.delete(socket));
  }

  /**
   * A request was handed to the handler. A complete answer needs no watching: its bytes are queued on the socket. The
   * answer is the last of its connection, since all others are sent together, later.
   */
  answering(socket: Socket, response: ServerResponse): void {
    if (response.writableEnded) {
      this.#ended.add(socket);
      return;
    }
    const connection = this.#open.get(socket);
    if (connection === undefined) return; // closed in between
    connection.answers.push(response);
    if (response.req.method !== 'GET') connection.sinceMs = this.#elapsed(); // its body may take long to arrive
    // comes once by itself; `once` would cost a second closure
    response.on('close', () => {
      const { answers } = connection;
      // nearly always the only one: `pop` keeps the array's memory for the next one, `shift` and `splice` do not
      if (answers.at(-1) === response) answers.pop();
      else answers.splice(answers.indexOf(response), 1);
      if (answers.length > 0) return;
      connection.hasAnswered = true;
      connection.sinceMs = this.#elapsed();
    });
  }

  count(): number {
    return this.#open.size;
  }

  isAnswering(socket: Duplex): boolean {
    return (this.#open.get(socket)?.answers.length ?? 0) > 0;
  }

  /** The last request there, unless it is answered. */
  unanswered(socket: Duplex): ServerRequest | undefined {
    return this.#open.get(socket)?.answers.at(-1)?.req as ServerRequest | undefined;
  }

  /** No further request follows on this connection: the current one is the last. */
  ends(socket: Duplex): void {
    this.#ended.add(socket);
  }

  /**
   * The last answer was sent there, or is being sent. Bytes behind it get no second answer: a reverse proxy would take
   * it as the answer to another request.
   */
  hasEnded(socket: Duplex): boolean {
    return this.#ended.has(socket);
  }

  /** The state of an open connection, for the cap on idle ones. */
  speaker(socket: Socket): HttpConnectionState {
    const connection = this.#open.get(socket);
    return {
      waiting: (nowMs) => connection && waitingOf(connection, nowMs),
      end: () => socket.destroySoon(),
    };
  }

  /** Closes the connections without an answer in progress, after the bytes still queued on them. */
  closeIdle(): void {
    for (const { socket, answers } of this.#open.values()) if (answers.length === 0) socket.destroySoon();
  }
}

/**
 * A connection is in progress if its request has arrived and its answer is not completely handed over while the client
 * reads. An answer that is handed over waits for the client.
 */
function waitingOf({ answers, hasAnswered, sinceMs }: Connection, nowMs: number): WaitingConnection | undefined {
  if (answers.some((answer) => !answer.writableEnded && isInProgress(answer.req as ServerRequest, nowMs)))
    return undefined;
  return { idle: answers.length === 0 && hasAnswered, sinceMs };
}
