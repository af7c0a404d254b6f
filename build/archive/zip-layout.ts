// Computes the bytes of a ZIP around its contents: offsets, headers, directory and end records. Equal inputs give
// equal bytes. Pure. Folders have no entries: unzip, ZipArchive and Composer create the folders of a file themselves,
// and a package contains no empty folders.

import {
  centralHeaderLength,
  endLength,
  localHeaderLength,
  writeCentralHeader,
  writeEnd,
  writeLocalHeader,
  type ZipEntry,
  type ZipName,
} from './zip-headers.ts';
import { zipTimeOf } from './zip-time.ts';

export interface ZipLayout {
  /** all local headers in sequence; the header of entry n precedes its content */
  readonly localHeaders: Uint8Array;
  /** the end of entry n's local header in `localHeaders` */
  readonly headerEnds: readonly number[];
  /** central directory and end records: the bytes behind the last content */
  readonly tail: Uint8Array;
  /** bytes of the whole archive */
  readonly size: number;
}

interface Placed {
  readonly entry: ZipEntry;
  readonly name: ZipName;
  /** offset of its local header in the archive */
  readonly offset: number;
}

/**
 * Lays `entries` out in the order given. `time` is epoch seconds, and every entry carries it; `topFolder` is one path
 * segment.
 */
export function layoutZip(
  entries: readonly ZipEntry[],
  options: { readonly topFolder: string; readonly time: number },
): ZipLayout {
  const time = zipTimeOf(options.time);
  const placed: Placed[] = [];
  const headerEnds: number[] = [];
  let headersLength = 0;
  let directoryOffset = 0;
  let directoryLength = 0;
  for (const entry of entries) {
    const text = `${options.topFolder}/${entry.path}`;
    const name = { text, bytes: Buffer.byteLength(text) };
    const headerLength = localHeaderLength(entry, name);
    placed.push({ entry, name, offset: directoryOffset });
    headersLength += headerLength;
    headerEnds.push(headersLength);
    directoryLength += centralHeaderLength(entry, name, directoryOffset);
    directoryOffset += headerLength + entry.compressedSize;
  }
  const localHeaders = Buffer.alloc(headersLength);
  const end = { count: entries.length, directoryLength, directoryOffset };
  const tail = Buffer.alloc(directoryLength + endLength(end));
  let local = 0;
  let central = 0;
  for (const { entry, name, offset } of placed) {
    local = writeLocalHeader(localHeaders, local, { entry, name, time });
    central = writeCentralHeader(tail, central, { entry, name, time, offset });
  }
  writeEnd(tail, central, end);
  return { localHeaders, headerEnds, tail, size: directoryOffset + tail.length };
}
