// Takes bundles apart and puts them together, so that a test can falsify any part.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { entryName, headerOf } from '../../build/bundle/bundle-format.ts';

export interface BundleRow {
  path: string;
  size: number;
  sha256: string;
  modified?: number;
}

export interface BundleParts {
  manifest: Record<string, unknown> & { files: BundleRow[] };
  contents: Buffer[];
}

const block = 512;
const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((block - (bytes.length % block)) % block)]);

export function partsOf(path: string): BundleParts {
  const bytes = readFileSync(path);
  let at = 0;
  const next = (): Buffer => {
    const size = Number.parseInt(bytes.toString('latin1', at + 124, at + 135), 8);
    const content = bytes.subarray(at + block, at + block + size);
    at += block + Math.ceil(size / block) * block;
    return content;
  };
  const manifest = JSON.parse(next().toString()) as BundleParts['manifest'];
  return { manifest, contents: manifest.files.map(next) };
}

/** `named`: the names of the entries; default: those of a bundle. */
export function bundleOf({ manifest, contents }: BundleParts, named: (at: number) => string = entryName): Buffer {
  const head = Buffer.from(JSON.stringify(manifest));
  return Buffer.concat([
    headerOf('bundle.json', head.length),
    padded(head),
    ...contents.flatMap((content, at) => [headerOf(named(at), content.length), padded(content)]),
    Buffer.alloc(2 * block),
  ]);
}

/** The row of a file with this content. */
export function rowOf(path: string, content: Buffer): BundleRow {
  return { path, size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}
