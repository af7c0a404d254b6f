// One request to a remote registry, with its token if there is one.

import type { Readable } from 'node:stream';

import type { JsonObject } from '../../build/contract/json.ts';
import { receiveResponse } from './receive-response.ts';
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
  try {
    const parts: Buffer[] = [];
    const sent = {
      method,
      headers: remote.token === undefined ? headers : { ...headers, authorization: `Bearer ${remote.token}` },
      body,
      idleTimeoutMs: answerTimeoutMs,
    };
    const begun = remote.now().getTime();
    const { status } = await receiveResponse(`${remote.url}${path}`, sent, { part: (bytes) => parts.push(bytes) > 0 });
    remote.onRequest(`${method} ${remote.url}${path}: ${status} after ${remote.now().getTime() - begun} ms`);
    const text = Buffer.concat(parts).toString('utf8');
    const parsed = parseBody(text);
    return parsed !== undefined && isAnswer(parsed)
      ? { status, body: parsed }
      : readRemoteResponse(remote, status, text);
  } catch (error) {
    if (
      !(error instanceof Error) ||
      !('code' in error) ||
      typeof error.code !== 'string' ||
      error.name === 'RegistryError'
    )
      throw error;
    throw new RemoteFailure(describeFault(remote.url, error, error.code), { cause: error });
  }
}

function describeFault(url: string, error: Error, code: string): string {
  const plain = plainHttpFault(url, error);
  if (plain !== undefined) return `${plain} ${plainHttpAdvice}`;
  const reason = error.message || code;
  const advice = certificateAdvice(error);
  return advice === undefined
    ? `${url} cannot be reached, or the connection broke: ${reason}. Check the address, and whether the server runs.`
    : `This machine does not accept the certificate of ${url}: ${reason}. Nothing was sent. ${advice}`;
}
