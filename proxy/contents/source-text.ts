// A file of an archive as lines: as text, and as HTML with highlighted words. Pure.

import { isUtf8 } from 'node:buffer';
import { escapeHtml } from '../../build/shared/text/escape-html.ts';
import { highlight } from '../packages/highlight.ts';

/** Lines are cut here, and a file with a longer one is not highlighted. */
export const longestLine = 1000;

export interface SourceText {
  readonly lines: readonly string[];
  /** the same lines, cut, and safe to put into HTML */
  readonly html: readonly string[];
  /** true: a line was cut */
  readonly isCut: boolean;
}

export function isText(bytes: Buffer): boolean {
  return !bytes.includes(0);
}

/** Characters that change the order of those around them, and controls: a reader must see them. */
const hidden = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text of other encodings is read as Latin-1. `isPlain`: words are not highlighted. */
export function sourceText(bytes: Buffer, path: string, isPlain: boolean): SourceText {
  const text = bytes
    .toString(isUtf8(bytes) ? 'utf8' : 'latin1')
    .replaceAll('\r\n', '\n')
    .replace(/\n$/, '')
    .replaceAll(hidden, (one) => `<U+${one.charCodeAt(0).toString(16).padStart(4, '0')}>`);
  const lines = text.split('\n');
  const isCut = lines.some((line) => line.length > longestLine);
  const html = isPlain || isCut ? undefined : highlight(text, languageOf(path));
  return { lines, isCut, html: html === undefined ? lines.map(plainLine) : linesOf(html) };
}

function plainLine(line: string): string {
  return escapeHtml(line.slice(0, longestLine));
}

/** The ending of a file. */
function languageOf(path: string): string {
  const shown = path.replace(/\.(?:dist|lock)$/, path.endsWith('composer.lock') ? '.json' : '');
  return shown.replace(/^.*[./]/s, '').toLowerCase();
}

/** A span that goes on in the next line is closed, and opened again there. */
function linesOf(html: string): readonly string[] {
  const open: string[] = [];
  return html.split('\n').map((line) => {
    const before = open.join('');
    for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) {
      if (tag === '</span>') open.pop();
      else open.push(tag);
    }
    return `${before}${line}${'</span>'.repeat(open.length)}`;
  });
}
