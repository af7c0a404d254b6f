// What people call the source of packages, without paths of the host and addresses. Pure.

import type { RepositoryDocument } from '../../sync/repository-schema.ts';

/**
 * What people call it: `nordlicht/ui` for https://git.example.org/nordlicht/ui.git, `repo.example.org/private` for a
 * Composer repository, and the last folder of a path.
 */
export function repositoryName({ type, url, id }: Pick<RepositoryDocument, 'type' | 'url' | 'id'>): string {
  if (url === null) return id;
  const path =
    type === 'git'
      ? url.replace(/^(?:[a-z+]+:\/\/[^/]+\/|[^/:]+:)/, '').replace(/\.git\/?$/, '')
      : url.replace(type === 'composer' ? /^https?:\/\// : /^.*\/(?=[^/])/, '');
  return path.replace(/\/+$/, '') || url;
}

/** `branch main of acme/tool`, `hello/composer.json of packages`: without paths of the host and addresses. */
export function placeOf(where: string, source: string | undefined): string {
  if (source === undefined) return where;
  const within = where.startsWith(source) ? where.slice(source.length).replace(/^\/+/, '') : where;
  return `${within} of ${repositoryName({ type: source.startsWith('/') ? 'directory' : 'git', url: source, id: '' })}`;
}
