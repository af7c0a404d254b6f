// One request to a registry, whose response is read as it arrives. The response never waits for its reader: undici 7
// ends the process in that case (nodejs/undici#5360). Only this file of the command line imports undici.

import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';

/** The command line's own: Node's global dispatcher belongs to the undici that is built into Node, another version. */
const agent = new Agent();

export interface RequestToSend {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Readable | undefined;
  /** the maximum time without any received byte */
  readonly idleTimeoutMs: number;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

export interface Receiver {
  readonly head?: () => void;
  /** receives each part of the body immediately; false declines the rest */
  readonly part: (bytes: Buffer) => boolean;
}

/**
 * Resolves at the end of the response, or after the reader has declined the rest. Rejects with Node's or undici's
 * error. The path of `url` is sent unchanged.
 */
export function receiveResponse(
  url: string,
  { method, headers, body, idleTimeoutMs }: RequestToSend,
  receiver: Receiver,
): Promise<ResponseHead> {
  const { origin, pathname, search } = new URL(url);
  const options: Dispatcher.DispatchOptions = {
    origin,
    path: `${pathname}${search}`,
    method,
    headers: { ...headers },
    body: body ?? null,
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
  };
  return new Promise((resolve, reject) => {
    let received: ResponseHead | undefined;
    const finish = (): void =>
      received === undefined ? reject(new Error('it ended without a response')) : resolve(received);
    agent.dispatch(options, {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status, answered) => {
        if (status < 200) return;
        received = { status, headers: answered };
        receiver.head?.();
      },
      onResponseData: (controller, bytes) => {
        if (receiver.part(bytes)) return;
        finish();
        controller.abort(new Error('the rest is not wanted'));
      },
      onResponseEnd: finish,
      onResponseError: (_controller, error) => reject(error),
    });
  });
}
