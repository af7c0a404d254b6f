// Chooses the content encoding that a client prefers: RFC 9110 §12.5.3, with q-values and `*`; linear, never throws.
// Also has the compressors, and compresses answers that are made for a single request. Answers for many requests are
// cached in compressed form instead (document.ts).

import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { Answer } from './answer.ts';

export type Encoding = 'identity' | 'gzip' | 'br';

// The header of Composer's curl, and a missing header, need no parsing.
const known: ReadonlyMap<string, Encoding> = new Map<string, Encoding>([
  ['deflate, gzip, br, zstd', 'br'],
  ['deflate, gzip, br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
]);

/**
 * The best of br, gzip and identity; equal weights prefer the smaller result. Identity if no encoding is acceptable,
 * because an answer is better than an error.
 */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  if (acceptEncoding === undefined || acceptEncoding === '') return 'identity';
  return known.get(acceptEncoding) ?? weighEncodings(acceptEncoding);
}

function weighEncodings(header: string): Encoding {
  const weights = new Map<string, number>();
  for (const part of header.split(',')) {
    const [coding = '', ...parameters] = part.split(';');
    const name = coding.trim().toLowerCase();
    if (name !== '') weights.set(name === 'x-gzip' ? 'gzip' : name, qualityOf(parameters));
  }
  const any = weights.get('*') ?? 0;
  const br = weights.get('br') ?? any;
  const gzip = weights.get('gzip') ?? any;
  // an unlisted identity is acceptable, but chosen last
  const identity = weights.get('identity') ?? 0;
  if (br > 0 && br >= gzip && br >= identity) return 'br';
  return gzip > 0 && gzip >= identity ? 'gzip' : 'identity';
}

function qualityOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const match = /^\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i.exec(parameter);
    if (match?.[1] !== undefined) return Number(match[1]);
    if (/^\s*q\s*=/i.test(parameter)) return 0; // a malformed weight: leave this coding alone
  }
  return 1;
}

/** Up to here it takes less to compress than to have another thread do it. */
const compressedInPlaceBytes = 8 * 1024;

export const compressors: Readonly<Record<Exclude<Encoding, 'identity'>, (bytes: Buffer) => MaybeAsync<Buffer>>> = {
  gzip: (bytes) =>
    bytes.length <= compressedInPlaceBytes ? gzipSync(bytes, { level: 6 }) : promisify(gzip)(bytes, { level: 6 }),
  br: (bytes) =>
    bytes.length <= compressedInPlaceBytes
      ? brotliCompressSync(bytes, brotliOptions(bytes))
      : promisify(brotliCompress)(bytes, brotliOptions(bytes)),
};

/** 5 is about as fast as gzip's 6 and smaller; 11 would take seconds for a large packages.json. */
function brotliOptions({ length }: Buffer): { readonly params: Readonly<Record<number, number>> } {
  return { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: length } };
}

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
