// Two small tabs of a package: its changelog, and what its newest version requires.

import { type Child, useContext } from 'hono/jsx';
import type { PackageText } from '../../../packages/package-texts.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { placeInside } from './inner-links.ts';
import {
  reportDamage,
  sourceOf,
  type OpenPackage,
  type PackagePageServices,
  packagePath,
  packageView,
} from './open-package.ts';
import { WholeText } from './overview.tsx';
import { PackageFrame } from './package-frame.tsx';
import { A, PlaceContext } from '../../components/place.tsx';
import { Links } from './links.tsx';
import { locateNames, type LocateName } from './name-places.ts';

export async function showChangelog(
  services: PackagePageServices,
  request: SignedInRequest,
  opened: OpenPackage,
): Promise<PageView> {
  const { name, latest } = opened;
  const location = sourceOf(opened, latest);
  const place = placeInside(services, opened, request, 'changelog');
  const reading = services.packageTexts.read(name, 'changelog', latest.entry.version, undefined, location, place);
  const text = await reportDamage(reading);
  return packageView(`Changelog of ${name}`, <Changelog {...{ opened, text }} />);
}

interface ChangelogProps {
  readonly opened: OpenPackage;
  /** undefined: the latest version has none */
  readonly text: PackageText | undefined;
}

export function Changelog({ opened, text }: ChangelogProps): Child {
  return (
    <PackageFrame opened={opened} tab="changelog">
      {text === undefined ? (
        <EmptyState icon="scroll-text" title="No changelog">
          Add a CHANGELOG.md beside its composer.json. It appears here with the next version.
        </EmptyState>
      ) : (
        <WholeText text={text} />
      )}
    </PackageFrame>
  );
}

export async function showRequires(
  services: PackagePageServices,
  request: SignedInRequest,
  opened: OpenPackage,
): Promise<PageView> {
  const locate = await locateNames(services, opened, request);
  return packageView(`What ${opened.name} requires`, <Requires {...{ opened, locate }} />);
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
