// Tracks the open connections and their requests in progress, so that draining cuts off no answer.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isInProgress } from './http-request.ts';
import type { Speaker, Waiting } from './idle-connections.ts';
import type { ServerRequest } from './server-request.ts';

interface Connection {
  readonly socket: Socket;
  /** of requests that were not answered at once, until each is out */
  readonly answers: ServerResponse[];
  /** an answer was out */
  hasAnswered: boolean;
  /** when it opened, its last request that may have a body began, or its last answer was out: monotonic milliseconds */
  sinceMs: number;
}

export class Connections {
  /**
   * Open connections, with what is being answered on each. An entry lives as long as its connection: a Map that gains
   * and loses one with every request makes itself anew all the time, and its old tables outlive the young generation,
   * where they bring on one collection of all memory after another.
   */
  readonly #open = new Map<Duplex, Connection>();
  readonly #ended = new WeakSet<Duplex>();

  readonly #elapsed: () => number;

  /** `elapsed`: monotonic milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  opened(socket: Socket): void {
    socket.setMaxListeners(0); // one for each pipelined request that is being answered
    this.#open.set(socket, { socket, answers: [], hasAnswered: false, sinceMs: this.#elapsed() });
    socket.once('close', () => this.#open.delete(socket));
  }

  /**
   * A request was handed to the handler. An answer that is already complete needs no watching: its bytes are queued on
   * the socket. It is the last of its connection: all others are sent together, later.
   */
  answering(socket: Socket, response: ServerResponse): void {
    if (response.writableEnded) {
      this.#ended.add(socket);
      return;
    }
    const connection = this.#open.get(socket);
    if (connection === undefined) return; // closed meanwhile
    connection.answers.push(response);
    if (response.req.method !== 'GET') connection.sinceMs = this.#elapsed(); // its body may be long in coming
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

  /** What comes after this is no request any more: the one being answered is the last. */
  ends(socket: Duplex): void {
    this.#ended.add(socket);
  }

  /**
   * The last answer was said there, or is being said. What the parser finds behind it gets no second one: to a front
   * that would be the answer to another request.
   */
  hasEnded(socket: Duplex): boolean {
    return this.#ended.has(socket);
  }

  /** Of an open connection, for the cap on idle ones. */
  speaker(socket: Socket): Speaker {
    const connection = this.#open.get(socket);
    return {
      waiting: (nowMs) => connection && waitingOf(connection, nowMs),
      end: () => socket.destroySoon(),
    };
  }

  /** Closes what is not being answered, after the bytes still queued on it. */
  closeIdle(): void {
    for (const { socket, answers } of this.#open.values()) if (answers.length === 0) socket.destroySoon();
  }
}

/**
 * In progress is a connection with a request that has arrived, and whose answer is not wholly handed over while the
 * client takes it: what is handed over waits for the client.
 */
function waitingOf({ answers, hasAnswered, sinceMs }: Connection, nowMs: number): Waiting | undefined {
  if (answers.some((answer) => !answer.writableEnded && isInProgress(answer.req as ServerRequest, nowMs)))
    return undefined;
  return { idle: answers.length === 0 && hasAnswered, sinceMs };
}
