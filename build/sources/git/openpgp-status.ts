// Reads the status lines of gpg about one signature (doc/DETAILS of GnuPG). Pure.

import { parseSigner, type Signer } from '../../contract/signer.ts';

/**
 * The mail address of the key, or its whole user id without one. A key that has expired since counts for what it signed
 * before, so that the same tag gives the same answer on any day. undefined: no signature that counts.
 */
export function signerInStatus(lines: string): Signer | undefined {
  const rows = [...lines.matchAll(/^\[GNUPG:\] (\w+)(?: (.*))?$/gm)].map(([, word = '', text = '']) => ({
    word,
    text,
  }));
  const textsOf = (wanted: string): readonly string[] =>
    rows.flatMap(({ word, text }) => (word === wanted ? [text] : []));
  const isDoubtful = rows.some(({ word }) => refused.has(word)) || textsOf('NEWSIG').length > 1;
  const [valid] = textsOf('VALIDSIG');
  const [good] = textsOf('GOODSIG');
  const [expired] = textsOf('EXPKEYSIG');
  const signature = good ?? expired;
  if (isDoubtful || valid === undefined || signature === undefined) return undefined;
  const signedAt = Number(valid.split(' ')[2]);
  if (good === undefined && !textsOf('KEYEXPIRED').every((end) => signedAt < Number(end))) return undefined;
  const userId = signature.slice(signature.indexOf(' ') + 1);
  return parseSigner(/<([^<>]+)>$/.exec(userId)?.[1] ?? userId);
}

const refused: ReadonlySet<string> = new Set(['BADSIG', 'ERRSIG', 'EXPSIG', 'REVKEYSIG', 'KEYREVOKED', 'FAILURE']);
