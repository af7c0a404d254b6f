// Tests that tags become versions exactly as in Composer's VcsRepository, against the vectors, and tests the builder's
// own rule about labels.

import { describe, expect, it } from 'vitest';
import { labelRefusal } from '../../../../build/contract/label.ts';
import { tagVersion } from '../../../../build/contract/tag.ts';
import type { NormalizedVersion } from '../../../../build/contract/version.ts';

describe('tagVersion', () => {
  it('the prefix release- is removed wherever it occurs in a tag', () => {
    expect(tagVersion('release-1.0')).toEqual({ version: '1.0', normalized: '1.0.0.0' });
  });

  it('the label comes from composer.json where its version means the same as the tag', () => {
    expect(tagVersion('v1.2.0', '1.2')).toEqual({ version: '1.2', normalized: '1.2.0.0' });
    expect(tagVersion('v1.2.0', '1.2.0-dev')).toEqual({ version: '1.2.0', normalized: '1.2.0.0' });
  });

  it('a tag whose composer.json has another version is skipped, and the reason names both', () => {
    expect(tagVersion('1.2.0', '1.3.0')).toEqual({ skip: expect.stringMatching(/1\.3\.0\.0.*1\.2\.0\.0/) });
  });

  it('a tag whose composer.json has an invalid version is skipped', () => {
    expect(tagVersion('1.2.0', 'next')).toEqual({ skip: expect.stringContaining('"next"') });
  });

  it('a dev tag is skipped even where composer.json agrees', () => {
    expect(tagVersion('1.2.0-dev', '1.2.0-dev')).toEqual({ skip: expect.stringContaining('branch') });
  });
});

describe('labelRefusal', () => {
  const normalized = (text: string): NormalizedVersion => text as NormalizedVersion;

  it('a label that means its normalized version is accepted', () => {
    expect(labelRefusal('v1.2', normalized('1.2.0.0'))).toBeUndefined();
    expect(labelRefusal('dev-feature/x', normalized('dev-feature/x'))).toBeUndefined();
    expect(labelRefusal('1.x.1.x-dev', normalized('1.9999999.1.9999999-dev'))).toBeUndefined();
  });

  it('a label that clients would read as another version, or as none, is refused', () => {
    expect(labelRefusal('1.0.0@', normalized('1.0.0.0'))).toMatch(/not a version/);
    expect(labelRefusal('1.0', normalized('1.1.0.0'))).toMatch(/means 1\.0\.0\.0/);
    expect(labelRefusal('dev-a|b', normalized('dev-a|b'))).toMatch(/constraint/);
  });
});
