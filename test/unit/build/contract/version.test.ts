// Normalization and stability, against the vectors of Composer's own VersionParser.

import { describe, expect, it } from 'vitest';
import { parseStability } from '../../../../build/contract/stability.ts';
import { tagVersion } from '../../../../build/contract/tag.ts';
import { isDevVersion, normalizeVersion } from '../../../../build/contract/version.ts';
import vectors from '../../../vectors/versions.json' with { type: 'json' };

describe('normalizeVersion', () => {
  it.each(vectors)('$input', ({ input, normalized }) => {
    expect(normalizeVersion(input) ?? null).toBe(normalized);
  });

  it('looks at ASCII white space only', () => {
    expect(normalizeVersion('1.0.0\u00a0')).toBeUndefined();
    expect(normalizeVersion(' 1.0.0\n')).toBe('1.0.0.0');
  });

  it('does not take letters that merely fold to ASCII ones', () => {
    expect(normalizeVersion('1.0.0-\u017ftable')).toBeUndefined();
  });
});

describe('parseStability', () => {
  it.each(vectors)('$input', ({ input, stability }) => {
    expect(parseStability(input)).toBe(stability);
  });

  it.each(vectors.filter(({ normalized }) => normalized !== null))(
    "the stability of $normalized is Composer's",
    ({ normalized, stabilityOfNormalized }) => {
      expect(parseStability(normalized ?? '')).toBe(stabilityOfNormalized);
    },
  );

  it('decides what is a dev version', () => {
    expect(['dev-main', '1.0.0.0-dev', '1.0.0.0-RC1', '1.0.0.0'].map(isDevVersion)).toEqual([true, true, false, false]);
  });
});

describe('tagVersion', () => {
  it.each(vectors)('$input', ({ input, asTag, asTagSkip }) => {
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
