// Tests the names of signers.
import { describe, expect, it } from 'vitest';
import { maxSignerLength, parseSigner } from '../../../../build/contract/signer.ts';

describe('parseSigner', () => {
  it.each(['ann@example.org', '*@example.org', 'Ann Lee', 'Ännchen', 'x', 'x'.repeat(maxSignerLength)])(
    'accepts %j',
    (text) => {
      expect(parseSigner(text)).toBe(text);
    },
  );

  it.each(['', ' ann', 'ann ', 'a\nb', 'a\u0000b', 'a\u202eb', 'a\u2028b', '\ud800', 'x'.repeat(maxSignerLength + 1)])(
    'refuses %j',
    (text) => {
      expect(parseSigner(text)).toBeUndefined();
    },
  );
});
