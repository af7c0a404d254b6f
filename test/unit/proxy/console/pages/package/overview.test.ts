// Tests what `composer require` names on the page of a package.

import { describe, expect, it } from 'vitest';
import { requirementOf } from '../../../../../../proxy/console/pages/package/overview.tsx';
import { sampleVersion } from '../../../../../util/sample-version.ts';

const requirement = (...versions: readonly string[]): string =>
  requirementOf(
    'acme/hello',
    versions.map((version) => sampleVersion(version)),
  );

describe('requirementOf', () => {
  it('writes the constraint that Composer itself would write', () => {
    expect(requirement('2.4.1', '1.0.0')).toBe('acme/hello:^2.4');
    expect(requirement('0.3.1')).toBe('acme/hello:^0.3.1');
    expect(requirement('20240131')).toBe('acme/hello:20240131');
  });

  it('prefers a stable version to a newer prerelease, and names the stability where there is none', () => {
    expect(requirement('3.0.0-beta1', '2.4.1')).toBe('acme/hello:^2.4');
    expect(requirement('3.0.0-beta1')).toBe('acme/hello:^3.0@beta');
  });

  it('names the default branch where only branches are published', () => {
    const versions = [sampleVersion('dev-topic'), sampleVersion('dev-main', { 'default-branch': true })];
    expect(requirementOf('acme/hello', versions)).toBe('acme/hello:dev-main');
    expect(requirement('dev-topic')).toBe('acme/hello:dev-topic');
  });
});
