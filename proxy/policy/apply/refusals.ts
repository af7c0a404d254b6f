// The answers of the policy: 410 for the archive of a blocked version, and 400 for a version of Composer. What the rules
// found is noted.

import { errorAnswer, type Answer } from '../../core/http/answer.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { PolicyCaller } from '../../core/protocol/release-policy.ts';
import { refusalOf, type PolicyJudgement, type RuleFinding } from '../judge/judge.ts';
import type { Hits } from './hits.ts';
import type { RuleOf } from '../model/policy-document.ts';

export interface RequestedArchive {
  readonly name: PackageName;
  readonly version: string;
  readonly normalized: string;
  /** true: this registry has the archive */
  readonly stored: boolean;
}

/** The refusal of an archive; undefined: it may be sent. */
export function refuseArchive(
  { stored, ...version }: RequestedArchive,
  judgement: PolicyJudgement,
  { token, userAgent }: PolicyCaller,
  hits: Hits,
  nowMs: number,
): Answer | undefined {
  if (judgement.findings.length === 0) return undefined;
  const refusal = refusalOf(judgement, stored);
  for (const { rule, because, exception } of judgement.findings) {
    // one rule refuses: the others had no effect
    if (exception !== undefined || (rule.action === 'block' && rule !== refusal?.rule)) continue;
    hits.note({
      rule: rule.name,
      action: rule.action,
      ...version,
      released_ms: null,
      because,
      token: token ?? null,
      at: new Date(nowMs).toISOString(),
    });
  }
  return refusal === undefined ? undefined : blockedAnswer(version, refusal, isComposer(userAgent));
}

/** `forComposer`: the client is Composer, which shows only the key `warning` to its user. */
function blockedAnswer(
  { name, version }: { readonly name: string; readonly version: string },
  { rule, because }: RuleFinding,
  forComposer: boolean,
): Answer {
  const message =
    `${name} ${version} is blocked by the rule ${rule.name} of this registry: ${because}. ` +
    (rule.message ?? 'Require another version, or ask the operator of this registry for an exception.');
  return errorAnswer('VERSION_BLOCKED', {
    message,
    details: { package: name, version, rule: rule.name, reason: because },
    forComposer,
  });
}

export function clientAnswer(version: string, { name, versions, message }: RuleOf<'composer'>): Answer {
  return errorAnswer('CLIENT_NOT_ALLOWED', {
    message:
      `Composer ${version} may not use this registry: the rule ${name} allows ${versions}. ` +
      (message ?? 'Update it with `composer self-update`.'),
    details: { rule: name, versions, composer: version },
    forComposer: true,
  });
}

function isComposer(userAgent: string | undefined): boolean {
  return userAgent?.startsWith('Composer/') === true;
}
