// Configuration and flags → what the builder is asked for.

import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import type { BuildRequest } from '../build/build.ts';
import type { Config } from './config.ts';

export interface BuildChoices {
  /** sources as typed, relative to `workingDirectory` */
  readonly sources: readonly string[];
  readonly forget: readonly string[];
  readonly strict: boolean;
  readonly allowRepublish: boolean;
  readonly workingDirectory: string;
}

export function buildRequest(config: Config, choices: BuildChoices): BuildRequest {
  const { workingDirectory, sources, ...others } = choices;
  const { value: distUrl } = config.distUrl;
  return {
    ...others,
    dataDirectory: config.data.value,
    baseDirectory: workingDirectory,
    arguments: sources,
    configured: configuredSources(config),
    fallback: packagesSource(workingDirectory),
    jobs: config.jobs.value,
    metadataUrl: config.metadataUrl.value,
    distBaseUrl: distUrl.form === 'path' ? undefined : distUrl.base,
  };
}

/** Undefined without a libretto.json; an empty list says that the sources it once named are gone from it. */
function configuredSources({ file, sources }: Config): readonly string[] | undefined {
  return file === undefined ? undefined : sources.value.map((source) => anchored(source, dirname(file)));
}

/** A path becomes absolute, behind its prefix; URLs and the user@host:path of ssh stay. */
function anchored(source: string, directory: string): string {
  const prefix = /^(?:git|dir):(?!\/\/)/.exec(source)?.[0] ?? '';
  const place = source.slice(prefix.length);
  return place === '' || /^[A-Za-z][A-Za-z0-9+.-]*:[:/]|^[\w.-]+@[\w.-]+:/.test(place) ? source : `${prefix}${resolve(directory, place)}`;
}

/** What is built where nothing else is named and nothing is remembered. */
function packagesSource(workingDirectory: string): string | undefined {
  const path = join(workingDirectory, 'packages-src');
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? path : undefined;
}
