// Sends bytes to a port and returns the received bytes: for requests that no HTTP client would send.

import { connect, type Socket } from 'node:net';

export interface RawReply {
  /** of the first answer; 0 when the connection closed without one */
  readonly status: number;
  readonly head: string;
  readonly body: string;
  /** every answer on the connection, as received */
  readonly text: string;
  /** the server closed the connection within the wait */
  readonly closed: boolean;
}

/**
 * Sends `bytes`, then reads until the server closes, or until `quietMs` passed without data after the first complete
 * answer.
 */
export function exchange(port: number, bytes: string | Buffer, quietMs = 150): Promise<RawReply> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const parts: Buffer[] = [];
    let quiet: NodeJS.Timeout | undefined;
    const finish = (closed: boolean): void => {
      clearTimeout(quiet);
      socket.destroy();
      resolve(parse(Buffer.concat(parts).toString('latin1'), closed));
    };
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      clearTimeout(quiet);
      quiet = setTimeout(() => finish(false), quietMs);
    });
    socket.on('error', () => undefined); // a reset counts as a close
    socket.on('close', () => finish(true));
    socket.write(bytes);
  });
}

/** A connection that stays open, for slow clients and hang-ups. */
export async function openConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.setMaxListeners(0);
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return socket;
}

function parse(text: string, closed: boolean): RawReply {
  const split = text.indexOf('\r\n\r\n');
  const head = split === -1 ? text : text.slice(0, split);
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  const body = split === -1 ? '' : text.slice(split + 4, split + 4 + length);
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), head, body, text, closed };
}
