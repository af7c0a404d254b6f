// Judges the version of Composer that sends a request: it is refused, or packages.json has a warning for it.

import type { Answer } from '../../core/http/answer.ts';
import type { PolicyCaller } from '../../core/protocol/release-policy.ts';
import type { ComposerRule } from '../judge/compile-policy.ts';
import { composerVersionOf, rulesAgainst } from './composer-versions.ts';
import type { Hits } from './hits.ts';
import { clientAnswer } from './refusals.ts';

/** The refusal; undefined: the program may send requests. */
export function judgeClient(
  rules: readonly ComposerRule[],
  { token, userAgent }: PolicyCaller,
  hits: Hits,
  nowMs: number,
): Answer | undefined {
  if (rules.length === 0) return undefined;
  const version = composerVersionOf(userAgent);
  if (version === undefined) return undefined;
  const against = rulesAgainst(version, token, rules);
  const block = against.find(({ given }) => given.action === 'block');
  for (const { given } of block === undefined ? against : [block])
    hits.note({
      rule: given.name,
      action: given.action,
      name: null,
      version,
      normalized: '', // clients write any version: one row for each rule
      released_ms: null,
      because: `the rule allows Composer ${given.versions}`,
      token: token ?? null,
      at: new Date(nowMs).toISOString(),
    });
  return block === undefined ? undefined : clientAnswer(version, block.given);
}

/** The same sentence for all versions that the rule does not allow: packages.json is cached for each sentence. */
export function warningFor(rules: readonly ComposerRule[], { token, userAgent }: PolicyCaller): string | undefined {
  const version = rules.length === 0 ? undefined : composerVersionOf(userAgent);
  if (version === undefined) return undefined;
  const warning = rulesAgainst(version, token, rules).find(({ given }) => given.action === 'warn')?.given;
  if (warning === undefined) return undefined;
  return (
    `The rule ${warning.name} of this registry allows Composer ${warning.versions}, and this is another version. ` +
    (warning.message ?? 'Update it with `composer self-update`.')
  );
}
