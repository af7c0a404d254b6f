// What the latest version of a package requires, and where each of those packages is.

import { useContext, type Child } from 'hono/jsx';
import { A, PlaceContext } from '../../components/place.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { Links } from './links.tsx';
import { locateNames, type LocateName } from './name-places.ts';
import { packagePath, type OpenPackage } from './open-package.ts';
import { PackageFrame } from './package-frame.tsx';
import type { PackagePageServices } from './package-services.ts';

export async function showRequires(
  services: PackagePageServices,
  request: SignedInRequest,
  opened: OpenPackage,
): Promise<PageView> {
  const locate = await locateNames(services, opened, request);
  return {
    title: `What ${opened.name} requires`,
    section: 'packages',
    content: <Requires {...{ opened, locate }} />,
  };
}

export function Requires({ opened, locate }: { readonly opened: OpenPackage; readonly locate: LocateName }): Child {
  const { name, latest } = opened;
  const { isCatalogue } = useContext(PlaceContext);
  return (
    <PackageFrame opened={opened} tab="requires">
      <p class="soft">
        Of the latest version, {latest.entry.version}.
        {isCatalogue ? null : (
          <>
            {' '}
            <A to={packagePath(name, 'versions')}>Each version</A> has a page with its own.
          </>
        )}
      </p>
      <Links record={latest.record} locate={locate} />
    </PackageFrame>
  );
}
