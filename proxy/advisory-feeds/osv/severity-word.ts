// The words for a severity, in advisories of every feed. Pure.

import type { JsonValue } from '../../../build/contract/json.ts';

export type Severity = 'low' | 'medium' | 'high' | 'critical';

const words: Readonly<Record<string, Severity>> = {
  LOW: 'low',
  MODERATE: 'medium',
  MEDIUM: 'medium',
  HIGH: 'high',
  CRITICAL: 'critical',
};

/** The severity that a word such as `MODERATE` means. */
export function wordOf(said: JsonValue | undefined): Severity | undefined {
  if (typeof said !== 'string' || said.length > 20) return undefined;
  const word = said.toUpperCase();
  return Object.hasOwn(words, word) ? words[word] : undefined;
}
