// RSA keys of a test's process. Each takes up to a second of processor time to make. So an issuer that ends gives its
// keys to the next one, and issuers that live at the same time have different keys.

import { generateKeyPair, type GenerateKeyPairResult } from 'jose';

const free: GenerateKeyPairResult[] = [];

export async function takeRsaKey(): Promise<GenerateKeyPairResult> {
  return free.pop() ?? (await generateKeyPair('RS256', { extractable: true }));
}

export function giveBackRsaKey(key: GenerateKeyPairResult): void {
  free.push(key);
}
