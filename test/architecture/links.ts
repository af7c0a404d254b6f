// Reads Markdown pages and comments for the architecture tests: their links, anchors and numbered references.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root, type SourceFile } from './source-files.ts';

export interface Page {
  /** relative to the repository, forward slashes */
  readonly path: string;
  readonly text: string;
  readonly anchors: ReadonlySet<string>;
}

export interface Link {
  /** as written */
  readonly target: string;
  /** relative to the repository */
  readonly path: string;
  readonly anchor: string | undefined;
}

const folders = ['docs', 'packages-src'];

/** Every Markdown page at the top of the repository, and below docs/ and packages-src/. */
export function markdownPages(): Page[] {
  const paths = [
    ...readdirSync(root),
    ...folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    ),
  ];
  return paths
    .filter((path) => path.endsWith('.md'))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return { path, text, anchors: anchorsOf(text) };
    });
}

/** Links to a file in this repository. */
export function linksOf({ path, text }: Page): Link[] {
  const prose = withoutCode(text);
  const targets = [
    ...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g),
    ...prose.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm),
    ...prose.matchAll(/\b(?:href|src)="([^"]+)"/g),
  ].map((match) => match[1] ?? '');
  return targets
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
    .map((target) => {
      const [file = '', anchor] = target.split('#', 2);
      return { target, anchor, path: file === '' ? path : relative(root, join(root, dirname(path), file)) };
    });
}

/** Paths in backticks. */
export function pathsIn(text: string): string[] {
  return [...text.matchAll(/`([^`\s]+)`/g)].map((match) => match[1] ?? '');
}

/** The comments of a file, joined to one text. */
export function commentsOf({ text }: SourceFile): string {
  return text
    .split('\n')
    .flatMap((line) => /^\s*(?:\/\/|\/\*\*?|\*)\s?(.*)$/.exec(line)?.[1] ?? /\s\/\/ (.*)$/.exec(line)?.[1] ?? [])
    .join(' ');
}

/** `rows 47 and 49`, `cases 70–73`, `decisions D6 and D8` → each number once. */
export function numbersAfter(word: string, text: string): number[] {
  const lists = text.matchAll(new RegExp(`\\b${word}s? (D?\\d+(?:(?:, (?:and )?| and |–)D?\\d+)*)`, 'gi'));
  return [...new Set([...lists].flatMap((match) => expand(match[1] ?? '')))];
}

function expand(list: string): number[] {
  return list
    .replaceAll('D', '')
    .split(/, (?:and )?| and /)
    .flatMap((part) => {
      const [from = 0, to = from] = part.split('–').map(Number);
      return Array.from({ length: to - from + 1 }, (_, at) => from + at);
    });
}

/** The anchors of a page as GitHub names them: headings, and `<a id>`. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map((match) => match[1] ?? ''));
  for (const [, heading = ''] of withoutFences(text).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const slug = slugOf(heading);
    let unique = slug;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${slug}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

const withoutFences = (text: string): string => text.replaceAll(/^( *)(`{3,}|~{3,}).*\n[\s\S]*?^\1\2 *$/gm, '');
const withoutCode = (text: string): string => withoutFences(text).replaceAll(/`[^`\n]*`/g, '');
