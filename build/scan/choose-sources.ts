// Chooses the sources that a build reads, keeps or forgets (decision D6). Sources named on the command line come first.
// Without any, the build reads the remembered sources, those of libretto.json, and the registered repositories.

import { unknownSource, type PublishedSource } from '../contract/publication.ts';
import { BuildRefused, NothingToBuild } from '../contract/refusals.ts';
import { noOptions } from '../sources/options.ts';
import { parseSource } from '../sources/spec.ts';
import type { ChosenSource } from './chosen-source.ts';
import { findMoves, moveNotices, type Move } from './moved-sources.ts';
import {
  gatherSourceSettings,
  knownSources,
  lostSource,
  rememberedSource,
  type SourceSettings,
  type SourceRequest,
} from './source-settings.ts';

export interface SourceChoice {
  /** sources that this build reads */
  readonly read: readonly ChosenSource[];
  /** sources that stay as published, unread */
  readonly left: readonly ChosenSource[];
  /** withdrawn with all they published */
  readonly forgotten: readonly PublishedSource[];
  /** ids of the forgotten sources that a person named, or whose registration was removed */
  readonly confirmed: ReadonlySet<string>;
  /** sources that this build reads at another place */
  readonly moves: readonly Move[];
  /** the reasons why sources were left that a user may expect to be read or forgotten */
  readonly notices: readonly { readonly source: string; readonly message: string }[];
}

/** Throws BuildRefused if no source remains, one source is described twice, or a source to forget is unknown. */
export function chooseSources(
  request: SourceRequest,
  remembered: readonly PublishedSource[],
  dataDirectory: string,
): SourceChoice {
  if (request.only !== undefined && request.forget.length > 0)
    throw new BuildRefused(
      '--forget withdraws all that a source published, and --only limits a build to some packages: use one of them.',
    );
  const given = gatherSourceSettings(request, remembered, dataDirectory);
  const { named, toForget, registered } = given;
  const moves = findMoves(request, given, remembered, dataDirectory);
  const moved = new Set(moves.map(({ source }) => source.id));
  const forgotten = remembered.filter((source) => moved.has(source.id) || isDropped(source, given, request));
  const dropped = new Set(forgotten);
  const stillRemembered = remembered.filter((source) => !dropped.has(source));
  const known = knownSources(given, stillRemembered, request, dataDirectory);
  for (const { source, to } of moves)
    if (!known.has(to.id)) known.set(to.id, { ...rememberedSource(source, dataDirectory), spec: to });
  const others = known.size + toForget.size + remembered.length;
  for (const [id, source] of fallbackSource(request, others, dataDirectory)) known.set(id, source);
  const chosen = [...known.values()];
  const unread = new Set(chosen.filter((source) => isUnread(source, given, remembered, request)));
  refuseUnconfigured(unread, named);
  const arrived = new Set(moves.map(({ to }) => to.id));
  const isRead = (source: ChosenSource): boolean =>
    arrived.has(source.spec.id) || (isWanted(source, given, request) && !unread.has(source) && !isElsewhere(source));
  const isUnregistered = (source: PublishedSource): boolean => registered.isGone(source) && !moved.has(source.id);
  return {
    read: chosen.filter(isRead),
    left: chosen.filter((source) => !isRead(source)),
    confirmed: new Set([...toForget, ...remembered.filter(isUnregistered).map(({ id }) => id)]),
    forgotten: [...forgotten, ...(toForget.has(unknownSource) ? [lostSource] : [])],
    moves,
    notices: [...moveNotices(moves), ...choiceNotices(unread, given, request)],
  };
}

/** A sync reads its repositories; another build the named sources, or all of them. */
function isWanted({ spec, access }: ChosenSource, { named }: SourceSettings, { sync, among }: SourceRequest): boolean {
  if (among !== undefined) return among.has(spec.id);
  if (sync !== undefined) return access !== undefined && sync.includes(access.id);
  return named.size === 0 || named.has(spec.id);
}

/** The source was removed from libretto.json. */
function hasLeftFile(source: PublishedSource, { configured, named }: SourceSettings, request: SourceRequest): boolean {
  return (
    source.from === 'configuration' &&
    request.configured !== undefined &&
    !configured.has(source.id) &&
    !named.has(source.id)
  );
}

function isDropped(source: PublishedSource, given: SourceSettings, request: SourceRequest): boolean {
  const { configured, toForget, registered } = given;
  return (
    toForget.has(source.id) ||
    (request.only === undefined &&
      ((hasLeftFile(source, given, request) && !registered.sources.has(source.id)) ||
        (registered.isGone(source) && !configured.has(source.id))))
  );
}

/** The build cannot read the source, since no argument, setting or registration describes it. */
function isUnread(
  source: ChosenSource,
  given: SourceSettings,
  remembered: readonly PublishedSource[],
  request: SourceRequest,
): boolean {
  const { id } = source.spec;
  if (given.configured.has(id) || source.access !== undefined) return false;
  if (source.hasOptions || source.from === 'registered') return true;
  return request.only !== undefined && remembered.some((one) => one.id === id && hasLeftFile(one, given, request));
}

function refuseUnconfigured(unread: ReadonlySet<ChosenSource>, named: SourceSettings['named']): void {
  const refused = [...unread].find(({ spec, hasOptions }) => hasOptions && named.has(spec.id));
  if (refused !== undefined)
    throw new BuildRefused(
      `Source ${refused.spec.shown}: its options are in a libretto.json that this build does not use. ` +
        'Name the file with --config, or remove the source with --forget first.',
    );
}

function choiceNotices(
  unread: ReadonlySet<ChosenSource>,
  { named, registered }: SourceSettings,
  request: SourceRequest,
): SourceChoice['notices'] {
  if (named.size > 0 || request.sync !== undefined || request.among !== undefined) return [];
  return [
    ...Array.from(unread, (source) => ({ source: source.spec.location, message: whyLeft(source, request) })),
    ...registered.hidden.map(({ spec, access }) => ({
      source: spec.location,
      message:
        `read with the options in libretto.json, which override those of the registered repository ` +
        `(${access?.id ?? ''}).`,
    })),
  ];
}

/** Chooses no source, so that every source stays as published. */
export function leaveAll(remembered: readonly PublishedSource[], dataDirectory: string): SourceChoice {
  return {
    read: [],
    left: remembered.map((source) => rememberedSource(source, dataDirectory)),
    forgotten: [],
    confirmed: new Set(),
    moves: [],
    notices: [],
  };
}

/** True for a source that was received earlier: this build has no copy of it to read. */
function isElsewhere({ spec: { place } }: ChosenSource): boolean {
  return place.kind === 'received' && place.tree === undefined;
}

function whyLeft({ hasOptions, from }: ChosenSource, request: SourceRequest): string {
  if (from === 'registered')
    return (
      'not read, and left as published: it is a registered repository, ' +
      'and this build does not use the registered repositories.'
    );
  if (hasOptions && request.configured === undefined)
    return (
      'not read, and left as published: it is in a libretto.json that this build does not use. ' +
      'Name the file with --config.'
    );
  return (
    'not read, and left as published: libretto.json does not name it any more. ' +
    'A build without --only withdraws it.'
  );
}

function fallbackSource(request: SourceRequest, others: number, dataDirectory: string): [string, ChosenSource][] {
  if (others > 0 || request.mayBeEmpty === true) return [];
  if (request.lost !== undefined) throw new BuildRefused(request.lost);
  if (request.fallback === undefined)
    throw new NothingToBuild(
      'There is nothing to build. Name a SOURCE: a folder of packages, a git repository or its URL; ' +
        'or list sources in libretto.json. For a registry that only mirrors, switch mirroring on first: ' +
        '`libretto settings set mirroring.enabled true`.',
    );
  const spec = parseSource(request.fallback, request.baseDirectory, dataDirectory);
  return [[spec.id, { spec, from: 'argument', options: noOptions, hasOptions: false }]];
}
