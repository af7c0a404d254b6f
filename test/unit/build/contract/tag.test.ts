// Tags become versions exactly as Composer's VcsRepository has them: every vector, and the builder's own rule about
// labels.

import { describe, expect, it } from 'vitest';
import { labelRefusal } from '../../../../build/contract/label.ts';
import { tagVersion } from '../../../../build/contract/tag.ts';
import type { NormalizedVersion } from '../../../../build/contract/version.ts';

describe('tagVersion', () => {
  it('drops release- wherever it stands', () => {
    expect(tagVersion('release-1.0')).toEqual({ version: '1.0', normalized: '1.0.0.0' });
  });

  it('takes the label of composer.json where it means the same version', () => {
    expect(tagVersion('v1.2.0', '1.2')).toEqual({ version: '1.2', normalized: '1.2.0.0' });
    expect(tagVersion('v1.2.0', '1.2.0-dev')).toEqual({ version: '1.2.0', normalized: '1.2.0.0' });
  });

  it('skips a tag whose composer.json says another version, and names both', () => {
    expect(tagVersion('1.2.0', '1.3.0')).toEqual({ skip: expect.stringMatching(/1\.3\.0\.0.*1\.2\.0\.0/) });
  });

  it('skips a tag whose composer.json has a version that is none', () => {
    expect(tagVersion('1.2.0', 'next')).toEqual({ skip: expect.stringContaining('"next"') });
  });

  it('skips dev tags even where composer.json agrees', () => {
    expect(tagVersion('1.2.0-dev', '1.2.0-dev')).toEqual({ skip: expect.stringContaining('branch') });
  });
});

describe('labelRefusal', () => {
  const normalized = (text: string): NormalizedVersion => text as NormalizedVersion;

  it('lets a label pass that means its normalized version', () => {
    expect(labelRefusal('v1.2', normalized('1.2.0.0'))).toBeUndefined();
    expect(labelRefusal('dev-feature/x', normalized('dev-feature/x'))).toBeUndefined();
    expect(labelRefusal('1.x.1.x-dev', normalized('1.9999999.1.9999999-dev'))).toBeUndefined();
  });

  it('refuses what clients would read as another version or as none', () => {
    expect(labelRefusal('1.0.0@', normalized('1.0.0.0'))).toMatch(/not a version/);
    expect(labelRefusal('1.0', normalized('1.1.0.0'))).toMatch(/means 1\.0\.0\.0/);
    expect(labelRefusal('dev-a|b', normalized('dev-a|b'))).toMatch(/constraint/);
  });
});
