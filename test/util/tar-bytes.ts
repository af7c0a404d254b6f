// Tars with any headers, for tests.

import { pack, type Headers } from 'tar-stream';

export type TarEntry = Headers & {
  readonly text?: string | Buffer;
  /** extended headers */
  readonly pax?: Readonly<Record<string, string>>;
};

export async function tarOf(...entries: readonly TarEntry[]): Promise<Buffer> {
  const tar = pack();
  for (const { text, ...headers } of entries) tar.entry(headers, text ?? '');
  tar.finalize();
  const pieces: Buffer[] = [];
  for await (const piece of tar as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces);
}
