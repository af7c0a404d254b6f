// Repositories of the management API among the sources of a build. A source that libretto.json lists as well is
// libretto.json's.

import type { PublishedSource } from '../contract/publication.ts';
import { BuildRefused } from '../contract/refusals.ts';
import type { RegisteredSource } from '../sources/options.ts';
import type { ChosenSource } from './chosen-source.ts';
import { parseSource } from '../sources/spec.ts';

export interface RegisteredRequest {
  /** undefined: the build has not read the state, and registered sources stay as published */
  readonly registered?: readonly RegisteredSource[] | undefined;
  /**
   * ids of registered repositories: the build reads these and no other source. A build withdraws removed repositories
   * in any case.
   */
  readonly sync?: readonly string[];
  /**
   * Returns the repositories registered by now, in the form of `source`. A build calls it under its lock, because
   * repositories may be added or removed during the fetch.
   */
  readonly registeredNow?: () => Promise<readonly string[]>;
  /**
   * Registered since this request was made, in the form of `source`: such a repository is not read, and stays as
   * published.
   */
  readonly registeredSince?: readonly string[];
}

export interface Registered {
  /** source id → source */
  readonly sources: ReadonlyMap<string, ChosenSource>;
  /** repositories that libretto.json lists too */
  readonly hidden: readonly ChosenSource[];
  /** true for a source that was published from a removed repository */
  readonly isGone: (source: PublishedSource) => boolean;
}

/**
 * `isListed`: whether libretto.json names the source with this id. Throws BuildRefused if libretto.json names a
 * repository to sync.
 */
export function registeredSources(
  { registered, sync = [], registeredSince = [] }: RegisteredRequest,
  isListed: (id: string) => boolean,
  dataDirectory: string,
): Registered {
  const all = (registered ?? []).map(({ source, ...access }): ChosenSource => {
    const { options, ...known } = access;
    return {
      spec: parseSource(source, dataDirectory, dataDirectory),
      from: 'registered',
      options,
      hasOptions: Object.keys(options).length > 0,
      access: known,
    };
  });
  const hidden = all.filter(({ spec }) => isListed(spec.id));
  const refused = hidden.find(({ access }) => access !== undefined && sync.includes(access.id));
  if (refused !== undefined)
    throw new BuildRefused(
      `The source ${refused.spec.shown} is also in libretto.json, and \`libretto build\` uses that entry. ` +
        'Remove that entry, or remove this repository.',
    );
  const sources = new Map(all.filter((source) => !hidden.includes(source)).map((source) => [source.spec.id, source]));
  const since = new Set(registeredSince.map((source) => parseSource(source, dataDirectory, dataDirectory).id));
  return {
    sources,
    hidden,
    isGone: ({ id, from }) => registered !== undefined && from === 'registered' && !sources.has(id) && !since.has(id),
  };
}

/**
 * Returns the request without repositories that were removed since, and with the added repositories in
 * `registeredSince`.
 */
export async function asRegisteredNow<Request extends RegisteredRequest>(request: Request): Promise<Request> {
  const { registered, registeredNow } = request;
  if (registered === undefined || registeredNow === undefined) return request;
  const now = new Set(await registeredNow());
  const known = new Set(registered.map(({ source }) => source));
  return {
    ...request,
    registered: registered.filter(({ source }) => now.has(source)),
    registeredSince: [...now].filter((source) => !known.has(source)),
  };
}

/**
 * A build that names a registered repository would read the repository without its credentials and limits. Throws
 * BuildRefused.
 */
export function refuseRegistered(asked: string, source: PublishedSource | undefined): void {
  if (source?.from !== 'registered') return;
  throw new BuildRefused(
    `${asked} is a registered repository. Read it with \`libretto repository sync\`, ` +
      `withdraw it with \`libretto repository remove\`.`,
  );
}
