// The check of the policy: faults of the policy file, rules without effect, exceptions that end soon, and its feeds.

import { endOfException, type PolicyException, type Rule } from '../../proxy/policy/model/policy-document.ts';
import type { PolicyIssue } from '../../proxy/policy/model/parse-policy.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { counted } from '../io/output.ts';
import { openLocalPolicyAdmin } from '../policy-admin/local-policy-admin.ts';
import { PolicyFileError } from '../policy/policy-file.ts';
import { exceptionText, issueLine, remarkLine } from '../text/policy-text.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { failed, ok, warning, type Finding } from './finding.ts';
import { checkFeeds } from './policy-feeds.ts';

const soonDays = 14;
const mostNamed = 10;
const name = 'policy';

/** Returns no finding for a registry without a policy. */
export async function check(config: Config, context: Context): Promise<readonly Finding[]> {
  const state = await openStateIfAny(config);
  if (state === undefined && config.policy.value === undefined) return [];
  const here = await openLocalPolicyAdmin(config, context, state);
  try {
    const { rules, exceptions } = await here.policy.get();
    if (rules.length === 0) return [];
    const given = JSON.parse(JSON.stringify({ rules, exceptions })) as never;
    const { remarks } = await here.policy.check(given);
    const nowMs = context.now().getTime();
    const problems = [
      ...ending(exceptions, nowMs),
      // an exception that ended is a finding of its own
      ...remarked(remarks.filter(({ path }) => !path.endsWith('.until'))),
    ];
    return [
      ...(problems.length > 0 ? problems : [ok(name, `${counted(rules.length, 'rule')} can be used`)]),
      ...(rules.some(readsFeeds) ? checkFeeds(here.feeds(), nowMs) : []),
    ];
  } catch (error) {
    if (error instanceof PolicyFileError) return faults(error, config);
    throw error;
  } finally {
    await here.close();
    await state?.close();
  }
}

/** A running server keeps its last good policy; a server does not start with the file. */
function faults({ issues }: PolicyFileError, { policy }: Pick<Config, 'policy'>): readonly Finding[] {
  return issues
    .slice(0, mostNamed)
    .map((issue) =>
      failed(
        name,
        `${policy.value ?? ''}: ${issueLine(issue)}`,
        'Correct the file; `libretto policy check` shows all faults. A running server uses the last good policy.',
      ),
    );
}

function ending(exceptions: readonly PolicyException[], nowMs: number): readonly Finding[] {
  return exceptions
    .map((exception) => ({ exception, leftMs: endOfException(exception) - nowMs }))
    .filter(({ leftMs }) => leftMs <= soonDays * 86_400_000)
    .slice(0, mostNamed)
    .map(({ exception, leftMs }) =>
      warning(
        name,
        `the exception ${exceptionText(exception)} ${leftMs <= 0 ? 'has ended' : `ends in ${daysText(leftMs)}`}`,
        `Ask ${exception.owner} whether it is still needed. Then renew it in the policy, or remove it.`,
      ),
    );
}

function readsFeeds({ rule }: Rule): boolean {
  return rule === 'advisories' || rule === 'filter';
}

function daysText(leftMs: number): string {
  return leftMs < 86_400_000 ? 'less than a day' : counted(Math.floor(leftMs / 86_400_000), 'day');
}

function remarked(remarks: readonly PolicyIssue[]): readonly Finding[] {
  return remarks
    .slice(0, mostNamed)
    .map((remark) =>
      warning(name, remarkLine(remark), 'Correct the policy, if this is not what you want: `libretto policy check`.'),
    );
}
