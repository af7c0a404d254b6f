// Tests what counts as a signature among the status lines of gpg.
import { describe, expect, it } from 'vitest';
import { signerInStatus } from '../../../../../build/sources/git/tag-verifier.ts';

const lines = (...rows: readonly string[]): string => rows.map((row) => `[GNUPG:] ${row}\n`).join('');
const good = 'GOODSIG 0123456789ABCDEF Ann Lee <ann@example.org>';
const valid = 'VALIDSIG 0123 2026-01-10 1768003200 0 4 0 22 8 00 0123';

describe('signerInStatus', () => {
  it.each([
    ['ann@example.org', lines('NEWSIG', good, valid)],
    ['Build machine', lines('NEWSIG', 'GOODSIG 0123456789ABCDEF Build machine', valid)],
    ['ann@example.org', lines('NEWSIG', 'KEYEXPIRED 1769817600', good.replace('GOOD', 'EXPKEY'), valid)],
  ])('finds %s', (signer, text) => {
    expect(signerInStatus(text)).toBe(signer);
  });

  it.each([
    ['no line', ''],
    ['a line of another program', `${good}\n${valid}\n`],
    [
      'an unknown key',
      lines('NEWSIG', 'ERRSIG 0123456789ABCDEF 22 8 00 1768003200 9 0123', 'NO_PUBKEY 0123456789ABCDEF'),
    ],
    ['a wrong signature', lines('NEWSIG', good.replace('GOOD', 'BAD'))],
    ['a signature without its proof', lines('NEWSIG', good)],
    ['an expired signature', lines('NEWSIG', good.replace('GOOD', 'EXP'), valid)],
    ['a revoked key', lines('NEWSIG', good.replace('GOOD', 'REVKEY'), valid)],
    ['two signatures', lines('NEWSIG', good, valid, 'NEWSIG', good, valid)],
    ['a key that had expired', lines('NEWSIG', 'KEYEXPIRED 1768003200', good.replace('GOOD', 'EXPKEY'), valid)],
  ])('counts nothing for %s', (_, text) => {
    expect(signerInStatus(text)).toBeUndefined();
  });
});
