// Turns configuration and flags into the request to the builder.

import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { BuildRequest } from '../../build/scan/build-request.ts';
import type { Relocation } from '../../build/scan/source-settings.ts';
import type { PublishedBy } from '../../build/history/record.ts';
import type { AdvisoryRequest } from '../../build/advisories/read-advisories.ts';
import type { ConfiguredSource } from '../../build/sources/options.ts';
import { anchorSource, parseSource, sourcePrefixes, type SourceSpec } from '../../build/sources/spec.ts';
import type { Config } from '../config/config.ts';
import { publicPathOf } from '../config/public-url.ts';
import { outputStore } from '../data-folder/output-store.ts';
import type { Context } from '../io/context.ts';
import type { SourceEntry } from '../config/source-shape.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import { describeSources } from '../../build/scan/configured.ts';
import { UsageError } from '../io/usage-error.ts';

export interface BuildChoices {
  /** sources as typed, relative to the working directory */
  readonly sources?: readonly string[];
  readonly forget?: readonly string[];
  /** absolute paths of sources before and after a move */
  readonly relocate?: readonly Relocation[];
  /** patterns of package names; undefined for all packages */
  readonly only?: readonly string[] | undefined;
  /** folders of the sources that are packages */
  readonly subdirectories?: readonly string[] | undefined;
  readonly strict?: boolean;
  readonly allowRepublish?: boolean;
  readonly allowWithdraw?: boolean;
  /** for the record */
  readonly command?: PublishedBy['command'];
}

type Builder = Pick<Context, 'workingDirectory' | 'environment' | 'now' | 'actor'>;

/** Throws UsageError for a source to forget that libretto.json still names. */
export function buildRequest(config: Config, context: Builder, choices: BuildChoices): BuildRequest {
  const { workingDirectory, actor } = context;
  const { sources = [], forget = [], only, command, strict = false, allowRepublish = false, ...others } = choices;
  const { value: distUrl } = config.distUrl;
  const configured = sourcesOfConfig(config);
  refuseListed({
    forget,
    configured: configured ?? [],
    workingDirectory,
    dataDirectory: config.data.value,
  });
  return {
    ...others,
    forget,
    strict,
    allowRepublish,
    ...(command === undefined ? {} : { by: { actor, command } }),
    ...(only === undefined ? {} : { only }),
    dataDirectory: config.data.value,
    output: outputStore(config, context),
    baseDirectory: workingDirectory,
    arguments: sources,
    configured,
    fallback: packagesSource(workingDirectory),
    mayBeEmpty: configured?.length === 0 && config.sources.value.length > 0, // a registry that only mirrors
    jobs: config.jobs.value,
    keepHistory: config.keep.value,
    metadataUrl: config.metadataUrl.value,
    distBaseUrl: distUrl.form === 'path' ? undefined : distUrl.base,
    publicPath: publicPathOf(config) || undefined,
    distShasum: config.distShasum.value,
    about: given({ name: config.name.value, description: config.description.value, homepage: config.homepage.value }),
    abandoned: config.abandoned.value,
    archiveExcludes: config.archiveExclude.value,
    signers: { ssh: config.signers.value, openpgp: config.signersKeyring.value },
    allowedAddresses: config.egressAllow.value,
    advisories: advisoryRequest(config),
    gitTimeouts: { asking: config.gitAskTimeout.value * 1000, fetching: config.gitFetchTimeout.value * 1000 },
  };
}

/** Undefined without a libretto.json: the published lists stay, as its sources do. */
function advisoryRequest({ file, advisories, filters }: Config): AdvisoryRequest | undefined {
  if (file === undefined) return undefined;
  const directory = dirname(file);
  return {
    advisories: advisories.value?.map((path) => resolve(directory, path)),
    filters: Object.fromEntries(
      Object.entries(filters.value).map(([name, list]) => [
        name,
        typeof list === 'string' ? resolve(directory, list) : list,
      ]),
    ),
  };
}

/** The values that are not undefined. */
function given(values: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

/** Undefined without a libretto.json. An empty list means that libretto.json no longer names the earlier sources. */
export function sourcesOfConfig({ file, sources }: Config): readonly (string | ConfiguredSource)[] | undefined {
  return file === undefined
    ? undefined
    : sources.value.flatMap((entry, index) => configuredSource(entry, `sources[${index}]`, dirname(file)) ?? []);
}

/** undefined: another Composer repository, which is no source of a build (cli/mirror/composer-repositories.ts). */
function configuredSource(
  { source, options }: SourceEntry,
  where: string,
  directory: string,
): string | ConfiguredSource | undefined {
  if (typeof source !== 'string' && 'composer' in source) return undefined;
  if (typeof source !== 'string')
    return { source: { ...source, directory, where: `libretto.json: ${where}` }, options, where };
  const place = anchorSource(source, directory);
  return Object.keys(options).length === 0 ? place : { source: place, options, where };
}

/** The default source if no source is named or remembered. */
function packagesSource(workingDirectory: string): string | undefined {
  const path = join(workingDirectory, 'packages-src');
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? path : undefined;
}

// `--forget` of a source that libretto.json still names would last until the next build only.

interface Forgetting {
  /** as typed, relative to `workingDirectory`, or in the form of remembered sources */
  readonly forget: readonly string[];
  readonly configured: readonly (string | ConfiguredSource)[];
  readonly workingDirectory: string;
  readonly dataDirectory: string;
}

/**
 * Throws UsageError if a source to forget is listed in libretto.json, BuildRefused if libretto.json describes one
 * source twice.
 */
function refuseListed({ forget, configured, workingDirectory, dataDirectory }: Forgetting): void {
  if (forget.length === 0) return;
  const listed = describeSources(configured, workingDirectory, dataDirectory).map(({ spec }) => spec);
  for (const text of forget) {
    const ids = candidates(text).map((candidate) => parsed(candidate, workingDirectory, dataDirectory)?.id);
    const found = listed.find(({ id, location }) => id === text || location === text || ids.includes(id));
    if (found !== undefined)
      throw new UsageError(
        `--forget ${text}: ${found.shown} is still listed in libretto.json, so the next build would publish ` +
          'it again. Remove it there first.',
      );
  }
}

/** A path without a prefix may have been remembered with any. */
function candidates(text: string): readonly string[] {
  return sourcePrefixes.some((prefix) => text.startsWith(`${prefix}:`))
    ? [text]
    : [text, ...sourcePrefixes.map((prefix) => `${prefix}:${text}`)];
}

/** Undefined for a text that is no source: the search among the remembered sources reports it. */
function parsed(text: string, base: string, dataDirectory: string): SourceSpec | undefined {
  try {
    return parseSource(text, base, dataDirectory);
  } catch (error) {
    if (error instanceof BuildRefused) return undefined;
    throw error;
  }
}
