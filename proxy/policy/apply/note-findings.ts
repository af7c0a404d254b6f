// Turns the judgement of an archive into an answer, and notes what the rules found.

import type { PackageName } from '../../../build/contract/name.ts';
import type { Answer } from '../../core/http/answer.ts';
import type { PolicyCaller } from '../../core/protocol/release-policy.ts';
import { refusalOf, type PolicyJudgement } from '../judge/judge.ts';
import type { Hits } from './hits.ts';
import { blockedAnswer, isComposer } from './refusals.ts';

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
