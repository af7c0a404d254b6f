// Which sources a build reads, keeps or forgets (decision D6): those named on the command line; without any, the
// remembered ones, those of libretto.json, and the registered repositories.

import { unknownSource, type PublishedSource } from '../contract/publication.ts';
import { BuildRefused } from '../contract/refusals.ts';
import type { ChosenSource } from './chosen-source.ts';
import { describeSources } from './configured.ts';
import { noOptions, type ConfiguredSource } from '../sources/options.ts';
import { refuseRegistered, registeredSources, type RegisteredRequest } from './registered-sources.ts';
import {
  parseSource,
  receivedSpec,
  restoreSource,
  sourcePrefixes,
  type ReceivedPlace,
  type SourceSpec,
} from '../sources/spec.ts';

export interface SourceRequest extends RegisteredRequest {
  readonly arguments: readonly string[];
  /** a tree that was built elsewhere: it is read, and no other source but those named */
  readonly received?: ReceivedPlace;
  /** what relative arguments are relative to */
  readonly baseDirectory: string;
  /** of libretto.json, already absolute; undefined without such a file */
  readonly configured: readonly (string | ConfiguredSource)[] | undefined;
  /** what to build when nothing is named, remembered or configured */
  readonly fallback: string | undefined;
  /** an empty tree is what is wanted where there is no source at all */
  readonly mayBeEmpty?: boolean;
  readonly forget: readonly string[];
  /**
   * patterns of the packages a build is limited to; it then forgets no source, since that would be about other packages
   * too
   */
  readonly only?: readonly string[];
}

export interface SourceChoice {
  /** to be read in this build */
  readonly read: readonly ChosenSource[];
  /** not read, and left as published */
  readonly left: readonly ChosenSource[];
  /** withdrawn with all they published */
  readonly forgotten: readonly PublishedSource[];
  /** ids of those of them that a person named, or removed where they were registered */
  readonly confirmed: ReadonlySet<string>;
  /** why a source that one might expect to be read or forgotten is left */
  readonly notices: readonly { readonly source: string; readonly message: string }[];
}

/** Throws BuildRefused: nothing to build, one source described twice, or an unknown source to forget. */
export function chooseSources(
  request: SourceRequest,
  remembered: readonly PublishedSource[],
  dataDirectory: string,
): SourceChoice {
  if (request.only !== undefined && request.forget.length > 0)
    throw new BuildRefused(
      '--forget withdraws all that a source published, and --only limits a build to some packages: use one of them.',
    );
  const described = describeSources(request.configured ?? [], request.baseDirectory, dataDirectory);
  const configured = new Map(
    described.map(({ spec, options }): [string, ChosenSource] => [
      spec.id,
      {
        spec,
        from: 'configuration',
        options,
        hasOptions: Object.keys(options).length > 0 || spec.place.kind === 'package',
      },
    ]),
  );
  const received = request.received === undefined ? [] : [receivedSpec(request.received)];
  const named = new Map(
    [...request.arguments.map((text) => parseSource(text, request.baseDirectory, dataDirectory)), ...received].map(
      (spec) => [spec.id, spec],
    ),
  );
  const toForget = new Set(request.forget.map((text) => findRemembered(text, request, remembered, dataDirectory).id));
  for (const spec of named.values())
    refuseRegistered(
      `Source ${spec.location}`,
      remembered.find(({ id }) => id === spec.id),
    );
  const isListed = (id: string): boolean =>
    configured.has(id) ||
    (request.configured === undefined &&
      remembered.some((source) => source.id === id && source.from === 'configuration'));
  const registered = registeredSources(request, isListed, dataDirectory);
  const leftFile = (source: PublishedSource): boolean =>
    source.from === 'configuration' &&
    request.configured !== undefined &&
    !configured.has(source.id) &&
    !named.has(source.id);
  const dropped = (source: PublishedSource): boolean =>
    toForget.has(source.id) ||
    (request.only === undefined &&
      ((leftFile(source) && !registered.sources.has(source.id)) ||
        (registered.isGone(source) && !configured.has(source.id))));

  const known = new Map<string, ChosenSource>();
  for (const source of remembered) if (!dropped(source)) known.set(source.id, rememberedSource(source, dataDirectory));
  for (const [id, source] of registered.sources) known.set(id, source);
  for (const spec of named.values()) known.set(spec.id, namedSource(spec, known.get(spec.id), request));
  for (const source of configured.values()) if (!toForget.has(source.spec.id)) known.set(source.spec.id, source);
  for (const [id, source] of fallbackSource(request, known.size + toForget.size + remembered.length, dataDirectory))
    known.set(id, source);

  const unread = [...known.values()].filter(
    (source) =>
      !configured.has(source.spec.id) &&
      source.access === undefined &&
      (source.hasOptions ||
        source.from === 'registered' ||
        (request.only !== undefined && remembered.some((one) => one.id === source.spec.id && leftFile(one)))),
  );
  for (const { spec, hasOptions } of unread) {
    if (hasOptions && named.has(spec.id))
      throw new BuildRefused(
        `Source ${spec.location}: a libretto.json says which of its packages are published, and this build was not given that file. Name it with --config, or forget the source with --forget first.`,
      );
  }
  const isRead = (source: ChosenSource): boolean =>
    request.sync !== undefined
      ? source.access !== undefined && request.sync.includes(source.access.id)
      : (named.size === 0 || named.has(source.spec.id)) && !unread.includes(source) && !isElsewhere(source);
  const chosen = [...known.values()];
  return {
    read: chosen.filter(isRead),
    left: chosen.filter((source) => !isRead(source)),
    confirmed: new Set([...toForget, ...remembered.filter((source) => registered.isGone(source)).map(({ id }) => id)]),
    forgotten: [...remembered.filter(dropped), ...(toForget.has(unknownSource) ? [lostSource] : [])],
    notices:
      named.size > 0 || request.sync !== undefined
        ? []
        : [
            ...unread.map((source) => ({ source: source.spec.location, message: whyLeft(source, request) })),
            ...registered.hidden.map(({ spec, access }) => ({
              source: spec.location,
              message: `read as libretto.json describes it, and not as it is registered (${access?.id ?? ''}).`,
            })),
          ],
  };
}

/** A choice that reads none, and leaves all as they are published. */
export function leaveAll(remembered: readonly PublishedSource[], dataDirectory: string): SourceChoice {
  return {
    read: [],
    left: remembered.map((source) => rememberedSource(source, dataDirectory)),
    forgotten: [],
    confirmed: new Set(),
    notices: [],
  };
}

/** Received before, and not now: there is nothing to read it from. */
function isElsewhere({ spec: { place } }: ChosenSource): boolean {
  return place.kind === 'received' && place.tree === undefined;
}

/** Stands for whatever was published by a source that nothing remembers any more. */
const lostSource: PublishedSource = { id: unknownSource, location: unknownSource, from: 'argument' };

function whyLeft({ hasOptions, from }: ChosenSource, request: SourceRequest): string {
  if (from === 'registered')
    return 'not read, and left as published: it is a registered repository, and this build was not given what is registered.';
  if (hasOptions && request.configured === undefined)
    return 'not read, and left as published: it stands in a libretto.json, which this build was not given. Name the file with --config.';
  return 'not read, and left as published: libretto.json does not name it any more. A build without --only withdraws it.';
}

/** A file that is there and does not name it has nothing more to say of it. */
function namedSource(
  spec: SourceSpec,
  remembered: ChosenSource | undefined,
  { configured }: SourceRequest,
): ChosenSource {
  const stays = configured === undefined ? remembered : undefined;
  return { spec, from: stays?.from ?? 'argument', options: noOptions, hasOptions: stays?.hasOptions ?? false };
}

function rememberedSource({ location, from, options }: PublishedSource, dataDirectory: string): ChosenSource {
  return { spec: restoreSource(location, dataDirectory), from, options: noOptions, hasOptions: options === true };
}

function fallbackSource(request: SourceRequest, others: number, dataDirectory: string): [string, ChosenSource][] {
  if (others > 0 || request.mayBeEmpty === true) return [];
  if (request.fallback === undefined)
    throw new BuildRefused(
      'There is nothing to build. Name a SOURCE: a folder of packages, a git repository or its URL; or list sources in libretto.json. For a registry that only mirrors, switch mirroring on first: `libretto settings set mirroring.enabled true`.',
    );
  const spec = parseSource(request.fallback, request.baseDirectory, dataDirectory);
  return [[spec.id, { spec, from: 'argument', options: noOptions, hasOptions: false }]];
}

function findRemembered(
  text: string,
  request: SourceRequest,
  remembered: readonly PublishedSource[],
  dataDirectory: string,
): PublishedSource {
  const prefixed = sourcePrefixes.some((prefix) => text.startsWith(`${prefix}:`));
  const specs = prefixed ? [text] : [text, ...sourcePrefixes.map((prefix) => `${prefix}:${text}`)];
  const found = remembered.find(
    (source) =>
      source.id === text ||
      source.location === text ||
      specs.some((candidate) => idOf(candidate, request.baseDirectory, dataDirectory) === source.id),
  );
  refuseRegistered(`--forget ${text}`, found);
  if (found !== undefined) return found;
  if (text === unknownSource) return lostSource;
  const list =
    remembered.length === 0
      ? 'This tree remembers no source at all.'
      : `It remembers: ${remembered.map((source) => source.location).join(', ')}.`;
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
