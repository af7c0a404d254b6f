// One request to a remote registry, with its token if there is one.

import type { Readable } from 'node:stream';

import type { JsonObject } from '../../build/contract/json.ts';
import { receiveResponse, type RequestToSend } from './receive-response.ts';
import { certificateAdvice } from './certificate-fault.ts';
import { plainHttpAdvice, plainHttpFault } from './plain-http-fault.ts';
import {
  parseBody,
  readRemoteResponse,
  RemoteFailure,
  type Remote,
  type RemoteRegistry,
  type RemoteResponse,
} from './remote.ts';

/** A registry waits a minute for another build, and then builds. */
const answerTimeoutMs = 600_000;
/** More than any answer has: a server whose answer goes on for longer is none. */
const mostBytes = 64 * 1024 * 1024;
const longestBodyMs = 600_000;

export interface RemoteRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** the path with its query: `/api/repositories?limit=100` */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readable;
}

/**
 * `isAnswer`: true for a refusal that its caller reads itself. Throws RegistryError with the registry's refusal,
 * RemoteFailure if the server cannot be reached or is no registry.
 */
export async function requestRemote(
  remote: RemoteRegistry & Partial<Pick<Remote, 'token'>>,
  { method, path, headers = {}, body }: RemoteRequest,
  isAnswer: (body: JsonObject) => boolean = () => false,
): Promise<RemoteResponse> {
  const sent = {
    method,
    headers: remote.token === undefined ? headers : { ...headers, authorization: `Bearer ${remote.token}` },
    body,
    idleTimeoutMs: answerTimeoutMs,
  };
  const begun = remote.now().getTime();
  const { status, text } = await receiveText(remote, path, sent);
  remote.onRequest(`${method} ${remote.url}${path}: ${status} after ${remote.now().getTime() - begun} ms`);
  const parsed = parseBody(text);
  return parsed !== undefined && isAnswer(parsed) ? { status, body: parsed } : readRemoteResponse(remote, status, text);
}

async function receiveText({ url, now }: RemoteRegistry, path: string, sent: RequestToSend) {
  const parts: Buffer[] = [];
  let [bytes, endsMs, isWhole] = [0, Infinity, true];
  const head = (): void => void (endsMs = now().getTime() + longestBodyMs);
  const part = (piece: Buffer): boolean => {
    parts.push(piece);
    bytes += piece.length;
    isWhole = bytes <= mostBytes && now().getTime() < endsMs;
    return isWhole;
  };
  const { status } = await receiveResponse(`${url}${path}`, sent, { head, part }).catch((error: unknown) => {
    throw error instanceof Error ? new RemoteFailure(describeFault(url, error), { cause: error }) : error;
  });
  if (isWhole) return { status, text: Buffer.concat(parts).toString('utf8') };
  throw new RemoteFailure(`The answer of ${url} has no end. Check the address.`);
}

function describeFault(url: string, error: Error): string {
  const plain = plainHttpFault(url, error);
  if (plain !== undefined) return `${plain} ${plainHttpAdvice}`;
  const code = 'code' in error ? String(error.code) : error.name;
  const reason = error.message || code;
  const advice = certificateAdvice(error);
  return advice === undefined
    ? `${url} cannot be reached, or is no registry: ${reason}. Check the address, and whether the server runs.`
    : `This machine does not accept the certificate of ${url}: ${reason}. Nothing was sent. ${advice}`;
}
