// Tests that branches become dev versions as in Composer, against the vectors.

import { describe, expect, it } from 'vitest';
import { branchVersion } from '../../../../build/contract/branch.ts';
import { parseConstraint } from '../../../../build/contract/constraint.ts';
import { normalizeBranch, parseNumericAliasPrefix } from '../../../../build/contract/normalize-branch.ts';
import { parseStability } from '../../../../build/contract/stability.ts';
import vectors from '../../../vectors/branches.json' with { type: 'json' };

describe('normalizeBranch', () => {
  it.each(vectors)(
    'the branch $branch is normalized as in Composer',
    ({ branch, normalizeBranch: expected, constraintOk }) => {
      expect(normalizeBranch(branch)).toBe(expected);
      expect('constraint' in parseConstraint(expected)).toBe(constraintOk);
    },
  );
});

describe('branchVersion', () => {
  it.each(vectors)('the branch $branch gets the version that Composer gives it', ({ branch, asBranch }) => {
    const found = branchVersion(branch);
    if (asBranch === null) {
      expect(found).toEqual({ skip: expect.stringContaining(branch) });
    } else {
      expect(found).toEqual({ version: asBranch.version, normalized: asBranch.version_normalized });
      expect(parseStability(asBranch.version_normalized)).toBe(asBranch.stability);
    }
  });
});

describe('parseNumericAliasPrefix', () => {
  it.each(vectors.filter(({ asBranch }) => asBranch !== null))(
    "the alias prefix of $branch is Composer's",
    ({ asBranch, asDefaultBranch, parseNumericAliasPrefix: expected }) => {
      const version = asBranch?.version ?? '';
      expect(parseNumericAliasPrefix(version) ?? false).toBe(expected);
      // Composer also names a default branch without such a prefix, except for a leading v, 9999999-dev.
      expect(asDefaultBranch.some((alias) => alias.version === '9999999-dev')).toBe(
        parseNumericAliasPrefix(version.replace(/^v/, '')) === undefined,
      );
    },
  );
});
