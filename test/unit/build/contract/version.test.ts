// Tests normalization and stability against the vectors of Composer's VersionParser.

import { describe, expect, it } from 'vitest';
import { parseStability } from '../../../../build/contract/stability.ts';
import { tagVersion } from '../../../../build/contract/tag.ts';
import { isDevVersion, normalizeVersion } from '../../../../build/contract/version.ts';
import vectors from '../../../vectors/versions.json' with { type: 'json' };

describe('normalizeVersion', () => {
  it.each(vectors)('the version $input is normalized as in Composer', ({ input, normalized }) => {
    expect(normalizeVersion(input) ?? null).toBe(normalized);
  });

  it('normalization trims ASCII white space only', () => {
    expect(normalizeVersion('1.0.0\u00a0')).toBeUndefined();
    expect(normalizeVersion(' 1.0.0\n')).toBe('1.0.0.0');
  });

  it('normalization refuses letters that merely fold to ASCII letters', () => {
    expect(normalizeVersion('1.0.0-\u017ftable')).toBeUndefined();
  });
});

describe('parseStability', () => {
  it.each(vectors)("the stability of $input is Composer's", ({ input, stability }) => {
    expect(parseStability(input)).toBe(stability);
  });

  it.each(vectors.filter(({ normalized }) => normalized !== null))(
    "the stability of $normalized is Composer's",
    ({ normalized, stabilityOfNormalized }) => {
      expect(parseStability(normalized ?? '')).toBe(stabilityOfNormalized);
    },
  );

  it('a dev version is recognized as in Composer', () => {
    expect(['dev-main', '1.0.0.0-dev', '1.0.0.0-RC1', '1.0.0.0'].map(isDevVersion)).toEqual([true, true, false, false]);
  });
});

describe('tagVersion', () => {
  it.each(vectors)('the tag $input becomes the version that Composer reads', ({ input, asTag, asTagSkip }) => {
    const found = tagVersion(input);
    if (asTag !== null) {
      expect(found).toEqual({ version: asTag?.version, normalized: asTag?.version_normalized });
    } else {
      expect(found).toEqual({
        skip: expect.stringMatching(asTagSkip?.includes('dev prefixes') ? /dev version/ : /not a version/),
      });
    }
  });
});
