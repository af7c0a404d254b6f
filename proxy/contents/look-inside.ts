// Looks into an archive for the pages about files: a folder, a file, its bytes, its differences. Made for a worker
// thread: whatever an archive holds, only this thread waits for it. Pure.

import { isUtf8 } from 'node:buffer';
import type { ArchiveFiles } from '../../build/review/file-findings.ts';
import { compareText } from '../../build/shared/text/compare-text.ts';
import { isText, sourceText } from './source-text.ts';
import { textDifference } from './text-difference.ts';

export type InnerFiles = ArchiveFiles;

/** Rows of a folder, and lines of a file, on one page. */
export const perPage = { rows: 200, lines: 800 } as const;
const mostBytes = 4 * 1024 * 1024;
const mostComparedBytes = 512 * 1024;

export interface FolderRow {
  /** of a search: the path below the folder */
  readonly name: string;
  readonly size: number;
  /** the number of files in a folder; 0: it is a file */
  readonly files: number;
}

/** Why something is not shown. */
export interface Unseen {
  readonly kind: 'unseen';
  readonly sentence: string;
}
export const unseen = (sentence: string): Unseen => ({ kind: 'unseen', sentence });
const tooLarge = unseen(`The file has more than ${mostBytes >> 20} MiB, which is too much for a page.`);

export type InsideView = NonNullable<ReturnType<typeof lookInside>>;
export type TextView = Extract<InsideView, { kind: 'text' }>;
export type FileDifference = NonNullable<ReturnType<typeof compareInside>>;

/**
 * `page`: from 1. `words`: where the path is a folder, the files below it whose paths have these words. undefined: there
 * is no such file, and no such folder.
 */
export function lookInside(files: InnerFiles, path: string, page: number, isPlain: boolean, words = '') {
  const file = files.get(path);
  if (file === undefined) return folderIn(files, path, page, words.toLowerCase());
  const { size } = file;
  if (size > mostBytes) return tooLarge;
  const bytes = file.read();
  if (pictureType(bytes) !== undefined) return { kind: 'picture', size } as const;
  return isText(bytes) ? { size, ...textView(bytes, path, page, isPlain) } : ({ kind: 'binary', size } as const);
}

function folderIn(files: InnerFiles, path: string, page: number, words: string) {
  const start = path === '' ? '' : `${path}/`;
  const rows = new Map<string, FolderRow>();
  for (const [inner, { size: bytes }] of files) {
    if (!inner.startsWith(start)) continue;
    const below = inner.slice(start.length);
    if (words !== '' && !below.toLowerCase().includes(words)) continue;
    const name = words === '' ? (below.split('/', 1)[0] ?? '') : below;
    const { size, files: known } = rows.get(name) ?? { size: 0, files: 0 };
    rows.set(name, { name, size: size + bytes, files: start + name === inner ? 0 : known + 1 });
  }
  if (rows.size === 0 && path !== '' && words === '') return undefined;
  const isFile = ({ files: inside }: FolderRow): number => (inside === 0 ? 1 : 0);
  const sorted = [...rows.values()].toSorted((a, b) => isFile(a) - isFile(b) || compareText(a.name, b.name));
  return {
    kind: 'folder',
    rows: sorted.slice((page - 1) * perPage.rows, page * perPage.rows),
    total: rows.size,
  } as const;
}

/** `lines`: of one page, safe to put into HTML. */
function textView(bytes: Buffer, path: string, page: number, isPlain: boolean) {
  const { html, isCut } = sourceText(bytes, path, isPlain);
  const lines = html.slice((page - 1) * perPage.lines, page * perPage.lines);
  return { kind: 'text', lines, total: html.length, isCut } as const;
}

/** `type`: undefined for a file that is neither a picture nor text in UTF-8. */
export function rawFile(files: InnerFiles, path: string) {
  const file = files.get(path);
  if (file === undefined || file.size > mostBytes) return file === undefined ? undefined : tooLarge;
  const bytes = file.read();
  const text = isText(bytes) && isUtf8(bytes) ? 'text/plain; charset=utf-8' : undefined;
  return { kind: 'raw', bytes, type: pictureType(bytes) ?? text } as const;
}

/** undefined: neither archive has the file. */
export function compareInside(before: InnerFiles, after: InnerFiles, path: string, isPlain: boolean) {
  const found = [before.get(path), after.get(path)];
  if (found.every((file) => file === undefined)) return undefined;
  if (found.some((file) => (file?.size ?? 0) > mostComparedBytes))
    return unseen(`Files of more than ${mostComparedBytes >> 10} KiB are not compared.`);
  const [old = Buffer.alloc(0), now = Buffer.alloc(0)] = found.map((file) => file?.read());
  if (!isText(old) || !isText(now)) return unseen('The file is not text, so its lines are not compared.');
  return textDifference(sourceText(old, path, isPlain), sourceText(now, path, isPlain));
}

/** By the first bytes: a name may lie. An SVG is text: a small one can keep a browser busy for minutes. */
const pictures: readonly (readonly [type: string, beginning: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
];

/** The media type of a picture that browsers show; undefined: it is none. */
function pictureType(bytes: Buffer): string | undefined {
  const beginning = bytes.subarray(0, 1024).toString('latin1');
  const type = pictures.find(([, pattern]) => pattern.test(beginning))?.[0];
  return type === undefined || pixelsOf(type, bytes) <= mostPixels ? type : undefined;
}

/** A megabyte can name billions of pixels, and a browser has memory for each. */
const mostPixels = 40_000_000;

/** As the header says; Infinity: it is too short. */
function pixelsOf(type: string, bytes: Buffer): number {
  if (bytes.length < 32) return Infinity;
  if (type === 'image/png') return bytes.readUInt32BE(16) * bytes.readUInt32BE(20);
  if (type === 'image/gif') return bytes.readUInt16LE(6) * bytes.readUInt16LE(8);
  if (type === 'image/jpeg') return pixelsOfJpeg(bytes);
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return (bytes.readUIntLE(24, 3) + 1) * (bytes.readUIntLE(27, 3) + 1);
  const sides = bytes.readUInt32LE(kind === 'VP8L' ? 21 : 26);
  const [first, bits] = kind === 'VP8L' ? [1, 14] : [0, 16];
  return ((sides & 0x3fff) + first) * (((sides >>> bits) & 0x3fff) + first);
}

/** Its size stands in the first segment of a frame (SOF0 to SOF15). */
function pixelsOfJpeg(bytes: Buffer): number {
  for (let at = 2; at + 9 <= bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return bytes.readUInt16BE(at + 5) * bytes.readUInt16BE(at + 7);
  }
  return Infinity;
}

/** Whether a README may lead to the path: a file, and no SVG, since READMEs show pictures. */
export function isKnown(files: InnerFiles, path: string): boolean {
  return files.get(path) !== undefined && !/\.svg$/i.test(path);
}
