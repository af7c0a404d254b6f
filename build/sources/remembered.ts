// Which sources a build reads, keeps or forgets (decision 6): those named on the command line; without any, the remembered ones and those of
// libretto.json.

import type { PublishedSource } from '../contract/publication.ts';
import { BuildRefused } from '../refusals.ts';
import { parseSource, restoreSource, type SourceSpec } from './spec.ts';

export interface SourceRequest {
  readonly arguments: readonly string[];
  /** what relative arguments are relative to */
  readonly baseDirectory: string;
  /** of libretto.json, already absolute; undefined without such a file */
  readonly configured: readonly string[] | undefined;
  /** what to build when nothing is named, remembered or configured */
  readonly fallback: string | undefined;
  readonly forget: readonly string[];
}

export interface ChosenSource {
  readonly spec: SourceSpec;
  readonly from: PublishedSource['from'];
}

export interface SourceChoice {
  /** to be read in this build */
  readonly read: readonly ChosenSource[];
  /** not read, and left as published */
  readonly left: readonly ChosenSource[];
  /** withdrawn with all they published */
  readonly forgotten: readonly PublishedSource[];
}

/** Throws BuildRefused: nothing to build, or an unknown source to forget. */
export function chooseSources(request: SourceRequest, remembered: readonly PublishedSource[], dataDirectory: string): SourceChoice {
  const configured = new Map(parseAll(request.configured ?? [], request.baseDirectory, dataDirectory).map((spec) => [spec.id, spec]));
  const named = new Map(parseAll(request.arguments, request.baseDirectory, dataDirectory).map((spec) => [spec.id, spec]));
  const toForget = new Set(request.forget.map((text) => findRemembered(text, request, remembered, dataDirectory).id));
  const dropped = (source: PublishedSource): boolean => toForget.has(source.id) || (source.from === 'configuration' && request.configured !== undefined && !configured.has(source.id) && !named.has(source.id));

  const known = new Map<string, ChosenSource>();
  for (const source of remembered) {
    if (!dropped(source)) known.set(source.id, { spec: restoreSource(source.location, dataDirectory), from: source.from });
  }
  for (const spec of named.values()) known.set(spec.id, { spec, from: known.get(spec.id)?.from ?? 'argument' });
  for (const spec of configured.values()) if (!toForget.has(spec.id)) known.set(spec.id, { spec, from: 'configuration' });

  if (known.size === 0 && toForget.size === 0 && remembered.length === 0) {
    if (request.fallback === undefined) throw new BuildRefused('There is nothing to build. Name a SOURCE: a folder of packages, a git repository or its URL; or list sources in libretto.json.');
    const spec = parseSource(request.fallback, request.baseDirectory, dataDirectory);
    known.set(spec.id, { spec, from: 'argument' });
  }
  const chosen = [...known.values()];
  const isRead = ({ spec }: ChosenSource): boolean => named.size === 0 || named.has(spec.id);
  return { read: chosen.filter(isRead), left: chosen.filter((source) => !isRead(source)), forgotten: remembered.filter(dropped) };
}

function parseAll(texts: readonly string[], base: string, dataDirectory: string): readonly SourceSpec[] {
  return texts.map((text) => parseSource(text, base, dataDirectory));
}

function findRemembered(text: string, request: SourceRequest, remembered: readonly PublishedSource[], dataDirectory: string): PublishedSource {
  const specs = [text, `dir:${text}`, `git:${text}`].filter((candidate) => candidate === text || !/^(?:git|dir):/.test(text));
  const found = remembered.find(
    (source) => source.id === text || source.location === text || specs.some((candidate) => idOf(candidate, request.baseDirectory, dataDirectory) === source.id),
  );
  if (found !== undefined) return found;
  const list = remembered.length === 0 ? 'This tree remembers no source at all.' : `It remembers: ${remembered.map((source) => source.location).join(', ')}.`;
  throw new BuildRefused(`--forget ${text}: this tree has no such source. ${list}`);
}

function idOf(text: string, base: string, dataDirectory: string): string | undefined {
  try {
    return parseSource(text, base, dataDirectory).id;
  } catch (error) {
    if (error instanceof BuildRefused) return undefined;
    throw error;
  }
}
