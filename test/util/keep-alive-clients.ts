// Clients that repeat the same request, each on a connection of its own that stays open, like the clients of a busy
// registry.

import { Agent, get } from 'node:http';

export interface KeepAliveClients {
  /**
   * status → count of complete answers; `broken`: the count of missing and incomplete ones; `late`: the count of
   * requests on an open connection that the server was just closing, which a client repeats on another (RFC 9112
   * §9.3.1)
   */
  readonly answers: () => Readonly<Record<string, number>>;
  /** Resolves after `count` more answers. */
  readonly more: (count: number) => Promise<void>;
  /** Resolves once each client was told by the server to leave, could not connect, or was stopped. */
  readonly ended: Promise<unknown>;
  readonly stop: () => void;
}

export function startKeepAliveClients(url: string, token: string, count: number): KeepAliveClients {
  const answers: Record<string, number> = {};
  const waiting: { count: number; resolve: () => void }[] = [];
  let stopped = false;
  const note = (what: string): void => {
    answers[what] = (answers[what] ?? 0) + 1;
    for (const one of waiting.splice(0)) {
      if ((one.count -= 1) > 0) waiting.push(one);
      else one.resolve();
    }
  };
  const run = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let first = true; !stopped; first = false) {
      const outcome = await ask(url, token, agent);
      // a client that could not connect had no request in progress
      if (outcome.what === 'broken' && first && outcome.refused) break;
      note(outcome.what);
      if (outcome.last) break;
    }
    agent.destroy();
  };
  const ended = Promise.all(Array.from({ length: count }, run));
  return {
    answers: () => answers,
    more: (number) => new Promise((resolve) => void waiting.push({ count: number, resolve })),
    ended,
    stop: () => void (stopped = true),
  };
}

function ask(
  url: string,
  token: string,
  agent: Agent,
): Promise<{ readonly what: string; readonly last: boolean; readonly refused: boolean }> {
  return new Promise((resolve) => {
    const broken = (error: NodeJS.ErrnoException): void => {
      const isLate = sent.reusedSocket && !answered && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      resolve({ what: isLate ? 'late' : 'broken', last: true, refused: error.code === 'ECONNREFUSED' });
    };
    let answered = false;
    const sent = get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      answered = true;
      response.on('error', broken);
      response
        .resume()
        .on('end', () =>
          resolve({ what: String(response.statusCode), last: response.headers.connection === 'close', refused: false }),
        );
    }).on('error', broken);
  });
}
