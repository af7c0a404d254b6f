// A page as an answer of the pipeline: its headers, and its bytes, compressed as the browser prefers.

import { bodyOf, type Answer } from '../../core/http/answer.ts';
import { chooseEncoding, compressors } from '../../core/http/content-encoding.ts';

/**
 * Everything comes from this server, nothing is inline, and no other page frames this one. A form may post to this
 * server alone.
 */
const contentPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const safetyHeaders: readonly string[] = [
  'Content-Security-Policy',
  contentPolicy,
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'X-Content-Type-Options',
  'nosniff',
  'X-Frame-Options',
  'DENY',
];

/** A shorter page gains nothing. */
const leastCompressed = 1024;

/** `more`: flat list of names and values. */
export async function htmlAnswer(
  html: string,
  {
    status,
    acceptEncoding,
    more,
  }: { readonly status: number; readonly acceptEncoding: string | undefined; readonly more: readonly string[] },
): Promise<Answer> {
  const plain = Buffer.from(html);
  const encoding = plain.length < leastCompressed ? 'identity' : chooseEncoding(acceptEncoding);
  const bytes = encoding === 'identity' ? plain : await compressors[encoding](plain);
  return {
    status,
    headers: [
      'Content-Type',
      'text/html; charset=utf-8',
      ...(encoding === 'identity' ? [] : ['Content-Encoding', encoding]),
      'Content-Length',
      String(bytes.length),
      'Cache-Control',
      'no-store',
      'Vary',
      'Cookie, Accept-Encoding',
      ...safetyHeaders,
      ...more,
    ],
    body: bodyOf(bytes),
  };
}

/** Sends the browser on: 303, which it follows with GET. `location`: relative. */
export function redirectAnswer(location: string, more: readonly string[] = []): Answer {
  return {
    status: 303,
    headers: ['Location', location, 'Content-Length', '0', 'Cache-Control', 'no-store', ...safetyHeaders, ...more],
    body: '',
  };
}

export interface DownloadedFile {
  /** ASCII without quotes */
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
  /** true: the browser shows it, as a page without any rights: it may come from anybody */
  readonly isSandboxed?: boolean;
}

/** No script, no form, nothing from elsewhere, and an origin of its own. The styles of an SVG stand in it. */
const sandboxed = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

export function downloadAnswer({ name, type, bytes, isSandboxed = false }: DownloadedFile): Answer {
  return {
    status: 200,
    headers: [
      'Content-Type',
      type,
      'Content-Disposition',
      `${isSandboxed ? 'inline' : 'attachment'}; filename="${name.replaceAll(/[^\w.-]/g, '_')}"`,
      'Content-Length',
      String(bytes.length),
      'Cache-Control',
      'no-store',
      ...safetyHeaders.map((value) => (isSandboxed && value === contentPolicy ? sandboxed : value)),
    ],
    body: bodyOf(bytes),
  };
}
