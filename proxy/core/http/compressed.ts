// Compresses answers that are made for a single request, if the size pays for it. Answers for many requests are cached
// in compressed form instead (document.ts).

import type { Answer } from './answer.ts';
import { chooseEncoding } from './content-encoding.ts';
import { compressors } from './document.ts';

/** A smaller body fits into a packet anyway. */
const worthBytes = 1400;

/** `answer`: with a body in memory, and its Content-Length. Returns the same answer if compression saves nothing. */
export async function compressed(answer: Answer, acceptEncoding: string | undefined): Promise<Answer> {
  const { body, headers } = answer;
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return answer;
  const encoding = body.length < worthBytes ? 'identity' : chooseEncoding(acceptEncoding);
  if (encoding === 'identity') return answer;
  const bytes = await compressors[encoding](typeof body === 'string' ? Buffer.from(body, 'latin1') : body);
  const rest = headers.flatMap((name, at) =>
    at % 2 === 0 && name !== 'Content-Length' ? [name, headers[at + 1] ?? ''] : [],
  );
  return {
    ...answer,
    headers: [...rest, 'Content-Encoding', encoding, 'Content-Length', String(bytes.length)],
    body: bytes,
  };
}
