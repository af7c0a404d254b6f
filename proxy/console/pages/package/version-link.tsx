// The link to a published version: to its page in the console, and to its row among the versions in the catalogue,
// which has no pages of versions.

import { useContext, type Child } from 'hono/jsx';
import { A, PlaceContext } from '../../components/place.tsx';
import { packagePath } from './open-package.ts';

interface VersionLinkProps {
  readonly name: string;
  readonly version: string;
  /** true: the row in a list is about this version */
  readonly isMain?: boolean;
}

export function VersionLink({ name, version, isMain = false }: VersionLinkProps): Child {
  const { isCatalogue } = useContext(PlaceContext);
  const to = isCatalogue
    ? `${packagePath(name, 'versions')}#${encodeURIComponent(versionAnchor(version))}`
    : packagePath(name, 'version', { version });
  // the name of a branch may be longer than its column
  const classes = [...(isMain ? ['main-link'] : []), ...(version.length > 24 ? ['breaks'] : [])].join(' ');
  return (
    <A to={to} {...(classes === '' ? {} : { class: classes })}>
      {version}
    </A>
  );
}

/** The id of the row of a version. */
export function versionAnchor(version: string): string {
  return `v-${version}`;
}
