// Compares the links of two versions: what each requires, replaces, provides, suggests, and conflicts with. Pure.

import type { JsonObject } from '../../build/contract/json.ts';
import { compareText } from '../../build/shared/text/compare-text.ts';
import { linksOf, type LinkKind } from '../packages/package-summary.ts';

export interface DependencyChange {
  readonly kind: LinkKind;
  readonly name: string;
  /** the constraint, or the reason of a suggestion; null: the version has no such link */
  readonly before: string | null;
  readonly after: string | null;
}

const kinds: readonly LinkKind[] = ['require', 'require-dev', 'conflict', 'replace', 'provide', 'suggest'];

/** The links that differ, by kind in the order of composer.json, then by name. */
export function compareDependencies(before: JsonObject, after: JsonObject): readonly DependencyChange[] {
  return kinds.flatMap((kind) => {
    const [old, now] = [linksOf(before, kind), linksOf(after, kind)];
    return [...new Set([...Object.keys(old), ...Object.keys(now)])]
      .toSorted(compareText)
      .filter((name) => old[name] !== now[name])
      .map((name) => ({ kind, name, before: old[name] ?? null, after: now[name] ?? null }));
  });
}
