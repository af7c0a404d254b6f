// The answer to a question about versions: a version, or a constraint of Composer. Pure.

import { matches, parseConstraint } from '../../../../build/contract/constraint.ts';
import { normalizeVersion } from '../../../../build/contract/version.ts';
import type { WhyAnswer } from '../../../../build/contract/why.ts';

/** `invalid`: the text is neither a version nor a constraint; `refusal` follows "the constraint …". */
export type VersionQuestion =
  | { readonly kind: 'package' }
  | { readonly kind: 'version'; readonly text: string }
  | { readonly kind: 'constraint'; readonly text: string; readonly satisfies: (version: string) => boolean }
  | { readonly kind: 'invalid'; readonly text: string; readonly refusal: string };

/** A text that is a version means this version: as a constraint it would mean the same. */
export function parseQuestion(text: string): VersionQuestion {
  if (text === '') return { kind: 'package' };
  if (normalizeVersion(text) !== undefined) return { kind: 'version', text };
  const parsed = parseConstraint(text);
  if ('refusal' in parsed) return { kind: 'invalid', text, refusal: parsed.refusal };
  return {
    kind: 'constraint',
    text,
    satisfies: (version) => {
      const normalized = normalizeVersion(version);
      return normalized !== undefined && matches(parsed.constraint, normalized);
    },
  };
}

/** True for the versions that the question is about, in any spelling. */
export function isMeant(question: VersionQuestion, version: string): boolean {
  if (question.kind === 'constraint') return question.satisfies(version);
  if (question.kind !== 'version') return question.kind === 'package';
  return normalizeVersion(version) === normalizeVersion(question.text);
}

/** The part of the explanation that is about versions within the constraint. */
export function withinConstraint(explanation: WhyAnswer, satisfies: (version: string) => boolean): WhyAnswer {
  return {
    ...explanation,
    versions: explanation.versions.filter(({ version }) => satisfies(version)),
    left_out: explanation.left_out.filter(({ version }) => version === null || satisfies(version)),
    purged: explanation.purged.filter(({ version }) => satisfies(version)),
  };
}
