// The style sheet, scripts and icon of the console and the catalogue. On a server their folder is named by their
// digest, so browsers keep them for ever and fetch them anew after an upgrade.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Answer } from '../../core/http/answer.ts';
import { answerIn, TextDocument } from '../../core/http/document.ts';
import type { HttpRequest } from '../../core/http/http-request.ts';
import { safetyHeaders } from '../request/html-answer.ts';

export interface Assets {
  /** below /ui: `/assets/1f0c2b7d` */
  readonly folder: string;
  /** The file of this path below /ui; undefined: it is no path of a file. */
  readonly answer: (path: string, incoming: HttpRequest) => Promise<Answer | undefined>;
}

/** The parts of the style sheet in their order. */
const styles = ['1-colours', '2-text', '3-layout', '4-parts', '5-forms', '6-packages', '6-files'].map(
  (name) => `style/${name}.css`,
);

const types: Readonly<Record<string, string>> = {
  'style.css': 'text/css; charset=utf-8',
  'script.js': 'text/javascript; charset=utf-8',
  'passkeys.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** Reads the files of the console. Throws if one is missing: the installation is incomplete then. */
export function readAssetFiles(): ReadonlyMap<string, Buffer> {
  return readFiles(styles, ['script.js', 'passkeys.js', 'icon.svg']);
}

/** Reads the files of the catalogue, which has parts of its own. Throws if one is missing. */
export function readCatalogueAssets(): ReadonlyMap<string, Buffer> {
  return readFiles([...styles, 'style/7-catalogue.css'], ['script.js', 'search.js', 'icon.svg']);
}

function readFiles(sheets: readonly string[], others: readonly string[]): ReadonlyMap<string, Buffer> {
  const read = (name: string): Buffer => readFileSync(`${assetsDirectory()}${name}`);
  return new Map([
    ['style.css', Buffer.concat(sheets.map(read))],
    ...others.map((name): [string, Buffer] => [name, name.endsWith('.js') ? withoutComments(read(name)) : read(name)]),
  ]);
}

/** A script without the lines that only explain it, and without indents: browsers fetch less. */
function withoutComments(script: Buffer): Buffer {
  const lines = script.toString().split('\n');
  const run = lines.map((line) => line.trim()).filter((line) => line !== '' && !/^(?:\/\/|\/\*\*|\*)/.test(line));
  return Buffer.from(`${run.join('\n')}\n`);
}

export function createAssets(files: ReadonlyMap<string, Buffer>): Assets {
  const digest = createHash('sha256');
  for (const bytes of files.values()) digest.update(bytes);
  const folder = `/assets/${digest.digest('hex').slice(0, 12)}`;
  const documents = new Map(
    [...files].map(([name, bytes]) => [`${folder}/${name}`, new TextDocument(bytes, 0, { type: types[name] ?? '' })]),
  );
  return {
    folder,
    answer: async (path, { headers }) => {
      const document = documents.get(path);
      if (document === undefined) return undefined;
      const [acceptEncoding, ifNoneMatch] = [headers['accept-encoding']?.toString(), headers['if-none-match']];
      const preferences = { acceptEncoding, ifNoneMatch, ifModifiedSince: undefined };
      return immutable(await answerIn(document, preferences, () => undefined));
    },
  };
}

/** The address names the content, so the content never changes. */
function immutable(answer: Answer): Answer {
  const replaced = new Set(['Cache-Control', 'Last-Modified', 'X-Content-Type-Options']);
  const kept = answer.headers.filter((_, at) => !replaced.has(answer.headers[at - (at % 2)] ?? ''));
  return {
    status: answer.status,
    headers: [...kept, 'Cache-Control', 'public, max-age=31536000, immutable', ...safetyHeaders],
    body: answer.body,
  };
}

/** The compiled program has its own copy beside it. Sources that a test runner transforms have the files here. */
function assetsDirectory(): string {
  return fileURLToPath(new URL(import.meta.url.endsWith('.js') ? './console/' : './', import.meta.url));
}
