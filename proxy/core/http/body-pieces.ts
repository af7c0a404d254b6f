// Reads the body of a request piece by piece, within a size and a time.

import { RegistryError, type ErrorCode } from '../../../build/contract/errors.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { withDeadline } from '../../../build/shared/concurrency/with-deadline.ts';
import type { HttpRequest } from './http-request.ts';

export interface BodyLimits {
  readonly mostBytes: number;
  /** time limit from the first read to the end of the body, milliseconds */
  readonly longestMs: number;
  /** the error for a larger body; default: BODY_TOO_LARGE */
  readonly tooLarge?: ErrorCode;
}

/**
 * Gives each piece to `take`, and waits for it. A slow body gets an answer, and its connection ends with the answer.
 * Throws RegistryError. `take` may get pieces after that, until the connection ends.
 */
export function readPieces(
  request: HttpRequest,
  limits: BodyLimits,
  take: (piece: Buffer) => MaybeAsync<void>,
): Promise<void> {
  const refuse = (): Promise<never> => Promise.reject(new RegistryError('REQUEST_TIMEOUT'));
  return withDeadline(readAll(request, limits, take), limits.longestMs, refuse);
}

async function readAll(
  request: HttpRequest,
  limits: BodyLimits,
  take: (piece: Buffer) => MaybeAsync<void>,
): Promise<void> {
  if (Number(request.headers['content-length'] ?? 0) > limits.mostBytes) throw tooLarge(limits);
  let size = 0;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > limits.mostBytes) throw tooLarge(limits);
      const taken = take(piece);
      if (taken !== undefined) await taken;
    }
  } catch (cause) {
    throw request.aborted ? brokenOff(cause) : cause;
  }
  if (request.aborted) throw brokenOff(undefined); // before the first byte was read
}

/** The client closed the connection, so the error reaches no reader. */
function brokenOff(cause: unknown): RegistryError {
  return new RegistryError('BAD_REQUEST', { message: 'The body ended too early.', cause });
}

function tooLarge({ mostBytes, tooLarge: code = 'BODY_TOO_LARGE' }: BodyLimits): RegistryError {
  return new RegistryError(code, {
    message: `The body is larger than the maximum of ${mostBytes} bytes.`,
    details: { limit: mostBytes },
  });
}
