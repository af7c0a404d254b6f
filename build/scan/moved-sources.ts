// Finds the sources that moved away from their recorded place. A path is recorded relative to the data folder: a source
// inside the folder, or in a workspace around it, moves with the folder. Another source stays behind when the data
// folder moves alone, and is found at its former absolute path, or at the new path that a person names with --relocate.
// The versions pass to the source at its new place unchanged: reference and archive stay.

import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { PublishedSource } from '../contract/publication.ts';
import { BuildRefused } from '../contract/refusals.ts';
import { readMemory } from '../memory/source-memory.ts';
import { readKnownSources } from '../memory/tree-memory.ts';
import type { Output } from '../output/output.ts';
import { quoteForShell } from '../shared/text/quote-for-shell.ts';
import { isOutside, pathSource, restoreSource, type PathKind, type SourceSpec } from '../sources/spec.ts';
import type { SourceSettings, Relocation, SourceRequest } from './source-settings.ts';
import type { ScannedSource } from './scan.ts';

/** A recorded source, and the place where this build reads it. */
export interface Move {
  readonly source: PublishedSource;
  /** absolute, as recorded */
  readonly from: string;
  readonly to: SourceSpec;
}

interface RecordedPath {
  readonly source: PublishedSource;
  readonly kind: PathKind;
  /** the recorded place, from the present data folder */
  readonly path: string;
  /** where an earlier build read it, if known */
  readonly former: string | undefined;
}

/** The former paths of sources that are not at their recorded place; with `all` also of the others. */
export async function readFormerPlaces(
  output: Output,
  remembered: readonly PublishedSource[],
  dataDirectory: string,
  all: boolean,
): Promise<ReadonlyMap<string, string>> {
  const places = new Map<string, string>();
  for (const { source, path } of recordedPaths(remembered, dataDirectory, new Map())) {
    if (!all && existsSync(path)) continue;
    const place = (await readMemory(output, source.id))?.place;
    if (place !== undefined) places.set(source.id, place);
  }
  return places;
}

/** The sources of earlier command lines that are not at their recorded place. */
export async function absentSources(
  output: Output,
  dataDirectory: string,
): Promise<readonly Pick<RecordedPath, 'path' | 'former'>[]> {
  const remembered = (await readKnownSources(output)).filter(({ from }) => from === 'argument');
  const former = await readFormerPlaces(output, remembered, dataDirectory, false);
  return recordedPaths(remembered, dataDirectory, former).filter(({ path }) => !existsSync(path));
}

/** Throws BuildRefused for a relocation that is impossible, and for moved sources in a build with --only. */
export function findMoves(
  request: SourceRequest,
  given: SourceSettings,
  remembered: readonly PublishedSource[],
  dataDirectory: string,
): readonly Move[] {
  if (request.alone === true || request.formerPlaces === undefined) return [];
  const recorded = recordedPaths(remembered, dataDirectory, request.formerPlaces);
  const asked = (request.relocate ?? []).flatMap((relocation) => askedMoves(relocation, recorded, dataDirectory));
  const isAsked = new Set(asked.map(({ source }) => source.id));
  const free = recorded.filter(
    ({ source: { id } }) =>
      !isAsked.has(id) && !given.toForget.has(id) && !given.named.has(id) && !given.configured.has(id),
  );
  refuseMerged(asked, remembered);
  const moves = [...asked, ...free.flatMap((one) => foundMove(one, request, given, dataDirectory) ?? [])];
  if (moves[0] !== undefined && request.only !== undefined)
    throw new BuildRefused(`${describeMove(moves[0])}. Build all packages first: \`libretto build\`.`);
  return moves;
}

/** Only sources outside the data folder: the others move with it. */
function recordedPaths(
  remembered: readonly PublishedSource[],
  dataDirectory: string,
  formerPlaces: ReadonlyMap<string, string>,
): readonly RecordedPath[] {
  return remembered.flatMap((source) => {
    const { place } = restoreSource(source.location, dataDirectory);
    if (!('path' in place) || !isOutside(source.location)) return [];
    return [{ source, kind: place.kind, path: place.path, former: formerPlaces.get(source.id) }];
  });
}

/**
 * A source of libretto.json, a registration or the command line that is at the former path is the same source. A source
 * of an earlier command line is looked for there, by a build of all sources.
 */
function foundMove(
  { source, kind, former }: RecordedPath,
  { sync }: SourceRequest,
  { configured, named, registered }: SourceSettings,
  dataDirectory: string,
): Move | undefined {
  if (former === undefined) return undefined;
  const to = pathSource(kind, former, dataDirectory);
  if (to.id === source.id) return undefined;
  const isGiven = configured.has(to.id) || named.has(to.id) || registered.sources.has(to.id);
  const isSought = source.from === 'argument' && source.options !== true && named.size === 0 && sync === undefined;
  return isGiven || (isSought && existsSync(former)) ? { source, from: former, to } : undefined;
}

function askedMoves(
  { from, to }: Relocation,
  recorded: readonly RecordedPath[],
  dataDirectory: string,
): readonly Move[] {
  const text = `--relocate ${from}=${to}`;
  const matching = recorded.flatMap((one) => {
    const rest = [one.path, one.former].map((path) => restBelow(from, path)).find((below) => below !== undefined);
    return rest === undefined ? [] : [{ ...one, target: resolve(to, rest) }];
  });
  if (matching.length === 0)
    throw new BuildRefused(
      `${text}: no recorded source is at ${from}, or below it. Recorded outside the data folder: ` +
        `${recorded.map(describeRecorded).join(', ') || 'none'}.`,
    );
  const moves = matching.filter(({ source, target, kind }) => pathSource(kind, target, dataDirectory).id !== source.id);
  if (moves.length === 0)
    throw new BuildRefused(`${text}: this source is recorded at ${to} already. Leave the flag out.`);
  return moves.map(({ source, kind, path, target }) => {
    if (source.from !== 'argument')
      throw new BuildRefused(
        `${text}: the source ${path} comes from ${source.from === 'configuration' ? 'libretto.json' : 'a registration'}. ` +
          'Change its path there: the next build takes its versions over.',
      );
    if (!existsSync(target))
      throw new BuildRefused(`${text}: there is nothing at ${target}. Name the place where the source is now.`);
    return { source, from: path, to: pathSource(kind, target, dataDirectory) };
  });
}

/** `` for the folder itself; undefined for a path outside it. */
function restBelow(folder: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const rest = relative(folder, path);
  return rest === '..' || rest.startsWith(`..${sep}`) ? undefined : rest;
}

function describeRecorded({ path, former }: RecordedPath): string {
  return former === undefined || former === path ? path : `${path} (read at ${former} before)`;
}

function refuseMerged(moves: readonly Move[], remembered: readonly PublishedSource[]): void {
  const moving = new Set(moves.map(({ source }) => source.id));
  const taken = new Set(remembered.map(({ id }) => id).filter((id) => !moving.has(id)));
  for (const { from, to } of moves) {
    if (taken.has(to.id))
      throw new BuildRefused(
        `The source ${from} cannot move to ${to.shown}: another source is recorded there, and two sources cannot ` +
          `become one. \`libretto build --forget ${quoteForShell(from)}\` gives up the first: versions that the other source has pass ` +
          'to it, and the others are withdrawn.',
      );
    taken.add(to.id);
  }
}

export function moveNotices(moves: readonly Move[]): readonly { readonly source: string; readonly message: string }[] {
  return moves.map((move) => ({
    source: move.to.location,
    message: `${describeMove(move)}. Its versions stay as published.`,
  }));
}

/** A source that an earlier build read at the same path is recorded anew, because the data folder has moved. No point. */
function describeMove({ from, to }: Move): string {
  return 'path' in to.place && to.place.path === from
    ? `The data folder has moved or was copied, and the source is still at ${to.shown}`
    : `The source ${from} is now at ${to.shown}`;
}

/** Throws BuildRefused if a source cannot be read at its new place: a build would otherwise withdraw its versions. */
export function refuseUnreadMoves(moves: readonly Move[], scanned: readonly ScannedSource[]): void {
  for (const { from, to } of moves) {
    const found = scanned.find(({ chosen }) => chosen.spec.id === to.id);
    if (found?.outcome === 'failed')
      throw new BuildRefused(
        `The source ${from} is now at ${to.shown}, and cannot be read there: ${found.reason} Nothing was published.`,
      );
  }
}
