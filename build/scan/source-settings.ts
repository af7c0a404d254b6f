// The sources that command line, libretto.json, registration and the last publication give to a build.

import { unknownSource, type PublishedSource } from '../contract/publication.ts';
import { BuildRefused } from '../contract/refusals.ts';
import { noOptions, type ConfiguredSource } from '../sources/options.ts';
import {
  parseSource,
  receivedSpec,
  restoreSource,
  shownSource,
  sourcePrefixes,
  type ReceivedPlace,
  type SourceSpec,
} from '../sources/spec.ts';
import type { ChosenSource } from './chosen-source.ts';
import { describeSources } from './configured.ts';
import { refuseRegistered, registeredSources, type RegisteredRequest } from './registered-sources.ts';

/** Absolute paths: of a source, or of a folder above sources, before and after the move. */
export interface Relocation {
  readonly from: string;
  readonly to: string;
}

export interface SourceRequest extends RegisteredRequest {
  readonly arguments: readonly string[];
  /** folders of the arguments that are packages; undefined: as an earlier build was given them */
  readonly subdirectories?: readonly string[] | undefined;
  /** a tree that was built elsewhere: it is read, and no other source but those named */
  readonly received?: ReceivedPlace;
  /** the base of relative arguments */
  readonly baseDirectory: string;
  /** the sources of libretto.json, with absolute paths; undefined without such a file */
  readonly configured: readonly (string | ConfiguredSource)[] | undefined;
  /** the source to build if none is named, remembered or configured */
  readonly fallback: string | undefined;
  /** true: without any source the build publishes an empty tree */
  readonly mayBeEmpty?: boolean;
  /** an upload or a received tree: sources that it does not name stay as published */
  readonly alone?: true;
  /** the lost announcement, described with its remedy: the sources are unknown */
  readonly lost?: string | undefined;
  readonly forget: readonly string[];
  /** paths of sources that a person moved */
  readonly relocate?: readonly Relocation[];
  /** source id → the absolute path at which an earlier build read the source */
  readonly formerPlaces?: ReadonlyMap<string, string>;
  /**
   * ids of the sources that this build reads; the others stay as published. Default: every source that the other fields
   * choose
   */
  readonly among?: ReadonlySet<string>;
  /**
   * patterns of the packages that a build is limited to; such a build forgets no source, since a source may have other
   * packages
   */
  readonly only?: readonly string[];
}

/** The settings of sources from the command line, libretto.json and the registrations. */
export interface SourceSettings {
  readonly configured: ReadonlyMap<string, ChosenSource>;
  readonly named: ReadonlyMap<string, SourceSpec>;
  readonly toForget: ReadonlySet<string>;
  readonly registered: ReturnType<typeof registeredSources>;
}

/** Throws BuildRefused for a source that cannot be named, or forgotten. */
export function gatherSourceSettings(
  request: SourceRequest,
  remembered: readonly PublishedSource[],
  dataDirectory: string,
): SourceSettings {
  const configured = configuredSources(request, dataDirectory);
  const received = request.received === undefined ? [] : [receivedSpec(request.received)];
  const specs = request.arguments.map((text) => parseSource(text, request.baseDirectory, dataDirectory));
  const named = new Map([...specs, ...received].map((spec) => [spec.id, spec]));
  refuseFolders(specs, configured, request);
  const toForget = new Set(request.forget.map((text) => findRemembered(text, request, remembered, dataDirectory).id));
  for (const spec of named.values())
    refuseRegistered(
      `Source ${spec.shown}`,
      remembered.find(({ id }) => id === spec.id),
    );
  const isListed = (id: string): boolean =>
    configured.has(id) ||
    (request.configured === undefined &&
      remembered.some((source) => source.id === id && source.from === 'configuration'));
  return { configured, named, toForget, registered: registeredSources(request, isListed, dataDirectory) };
}

function configuredSources(
  { configured, baseDirectory }: SourceRequest,
  dataDirectory: string,
): ReadonlyMap<string, ChosenSource> {
  return new Map(
    describeSources(configured ?? [], baseDirectory, dataDirectory).map(({ spec, options }): [string, ChosenSource] => [
      spec.id,
      {
        spec,
        from: 'configuration',
        options,
        hasOptions: Object.keys(options).length > 0 || spec.place.kind === 'package',
      },
    ]),
  );
}

/** By id, in the order of reading. Later origins take the place of earlier ones. */
export function knownSources(
  { configured, named, toForget, registered }: SourceSettings,
  kept: readonly PublishedSource[],
  request: SourceRequest,
  dataDirectory: string,
): Map<string, ChosenSource> {
  const known = new Map(kept.map((source) => [source.id, rememberedSource(source, dataDirectory)]));
  for (const [id, source] of registered.sources) known.set(id, source);
  for (const spec of named.values()) known.set(spec.id, namedSource(spec, known.get(spec.id), request));
  for (const source of configured.values()) if (!toForget.has(source.spec.id)) known.set(source.spec.id, source);
  return known;
}

/** Throws BuildRefused for a source on the command line that cannot have the given folders. */
function refuseFolders(
  specs: readonly SourceSpec[],
  configured: SourceSettings['configured'],
  { subdirectories }: SourceRequest,
): void {
  const refused = specs.find(({ id, place }) => place.kind !== 'git' || configured.has(id));
  if (subdirectories === undefined || (refused === undefined && specs.length > 0)) return;
  const { shown = '', place } = refused ?? {};
  const listed = `${shown} is in libretto.json: write "subdirectories" there.`;
  const why = place?.kind === 'git' ? listed : `${shown} is none; a build publishes every package in it.`;
  throw new BuildRefused(
    `--subdirectory needs a SOURCE that is a git repository. ${refused === undefined ? '' : why}`.trim(),
  );
}

/** If a given libretto.json does not name the source, its earlier options do not count. */
function namedSource(
  spec: SourceSpec,
  remembered: ChosenSource | undefined,
  { configured, subdirectories }: SourceRequest,
): ChosenSource {
  const stays = configured === undefined ? remembered : undefined;
  const options = subdirectories === undefined ? (remembered?.options ?? noOptions) : { subdirectories };
  return { spec, from: stays?.from ?? 'argument', options, hasOptions: stays?.hasOptions ?? false };
}

/** A source as the last publication has it; of its options, only the folders of a command line are remembered. */
export function rememberedSource(source: PublishedSource, dataDirectory: string): ChosenSource {
  const { location, from, options, subdirectories } = source;
  return {
    spec: restoreSource(location, dataDirectory),
    from,
    options: subdirectories === undefined ? noOptions : { subdirectories },
    hasOptions: options === true,
  };
}

/** An exact id names one source. Throws BuildRefused for another text that several remembered sources match. */
function findRemembered(
  text: string,
  request: SourceRequest,
  remembered: readonly PublishedSource[],
  dataDirectory: string,
): PublishedSource {
  const named = remembered.find(({ id }) => id === text);
  const found = named === undefined ? findMatching(text, request, remembered, dataDirectory) : [named];
  if (found.length > 1)
    throw new BuildRefused(
      `--forget ${text} can mean ${found.length} recorded sources: ` +
        `${found.map(({ id, location }) => `${id} (${location})`).join(', ')}. The locations are relative to the ` +
        'data folder. Give --forget the id of one source.',
    );
  const [source] = found;
  refuseRegistered(`--forget ${text}`, source);
  if (source !== undefined) return source;
  if (text === unknownSource) return lostSource;
  const list =
    remembered.length === 0
      ? 'This tree has no recorded source.'
      : `The recorded sources are ${remembered.map(({ location }) => shownSource(location, dataDirectory)).join(', ')}.`;
  throw new BuildRefused(`--forget ${text}: this tree has no such source. ${list}`);
}

/**
 * The sources that `text` is the remembered location of, or whose path it is from the working directory. A text without
 * a prefix matches every kind of source there.
 */
function findMatching(
  text: string,
  { baseDirectory }: SourceRequest,
  remembered: readonly PublishedSource[],
  dataDirectory: string,
): readonly PublishedSource[] {
  const prefixed = sourcePrefixes.some((prefix) => text.startsWith(`${prefix}:`));
  const specs = prefixed ? [text] : [text, ...sourcePrefixes.map((prefix) => `${prefix}:${text}`)];
  const ids = new Set(specs.map((candidate) => idOf(candidate, baseDirectory, dataDirectory)));
  return remembered.filter(({ id, location }) => location === text || ids.has(id));
}

function idOf(text: string, base: string, dataDirectory: string): string | undefined {
  try {
    return parseSource(text, base, dataDirectory).id;
  } catch (error) {
    if (error instanceof BuildRefused) return undefined;
    throw error;
  }
}

/** Represents every source that has published versions and is no longer remembered. */
export const lostSource: PublishedSource = { id: unknownSource, location: unknownSource, from: 'argument' };
