// The CHANGELOG of a package, as its latest version has it.

import type { Child } from 'hono/jsx';
import type { PackageText } from '../../../packages/package-texts.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { placeInside } from './inner-links.ts';
import { reportDamage, sourceOf, type OpenPackage } from './open-package.ts';
import { WholeText } from './overview.tsx';
import { PackageFrame } from './package-frame.tsx';
import type { PackagePageServices } from './package-services.ts';

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
  return {
    title: `Changelog of ${name}`,
    section: 'packages',
    content: <Changelog {...{ opened, text }} />,
  };
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
