// Describes what a trial of a policy found, and what the policy says of one version. Pure.

import { decisionTexts, outcomeText } from '../../proxy/policy/admin/explain-version.ts';
import type { ExplainedVersion, PolicyTest } from '../../proxy/policy/admin/policy-views.ts';
import { counted, firstOf, formatTable } from '../io/output.ts';

const mostShown = 50;

export function trialLines({ counts, versions, examined }: PolicyTest): readonly string[] {
  return [
    ...formatTable(
      ['RULE', 'ACTION', 'VERSIONS', 'USED', 'TOKENS'],
      counts.map(({ rule, action, versions: found, used, tokens }) => [
        rule,
        action,
        String(found),
        String(used),
        String(tokens),
      ]),
    ),
    '',
    ...(versions.length === 0
      ? []
      : [
          ...firstOf(
            formatTable(
              ['PACKAGE', 'VERSION', 'RULE', 'ACTION', 'USES', 'TOKENS', 'BECAUSE'],
              versions.map(({ name, version, rule, action, used, tokens, because, already }) => [
                name,
                version,
                rule,
                action,
                String(used),
                String(tokens.length),
                `${because}${already ? ' (as now)' : ''}`,
              ]),
            ),
            mostShown + 1,
          ),
          '',
        ]),
    `${counted(examined, 'version')} of packages with rules were examined. Used, uses and tokens: in the last 90 days.`,
  ];
}

export function explanationLines(explained: ExplainedVersion): readonly string[] {
  const { findings, passed } = explained;
  return [
    ...malwareLines(explained),
    outcomeText(explained),
    ...decisionTexts(explained).map((text) => `  ${text}`),
    ...findings.map(({ rule, action, because, exception }) =>
      exception === null
        ? `  ${rule} (${action}): ${because}.`
        : `  ${rule} (${action}): ${because}. An exception holds until ${exception.until}: ${exception.reason} ` +
          `(${exception.owner}).`,
    ),
    ...passed.map((rule) => `  ${rule}: nothing is against it.`),
    ...(findings.length + passed.length === 0 ? ['  No rule concerns it.'] : []),
  ];
}

/** `malware`: null, or undefined in the answer of an older server: it is none. */
export function malwareLines({
  name,
  version,
  malware,
}: Pick<ExplainedVersion, 'name' | 'version' | 'malware'>): readonly string[] {
  return (malware ?? null) === null ? [] : [`${name} ${version} is malware (${malware}).`];
}

/** Nothing for a version that every client gets without a warning. */
export function policyLines(explained: ExplainedVersion | null): readonly string[] {
  const holding = explained?.findings.filter(({ exception }) => exception === null) ?? [];
  if (explained === null) return [];
  if (holding.length === 0) return malwareLines(explained);
  return [
    ...malwareLines(explained),
    '',
    explained.outcome === 'offered' ? 'Rules of the policy concern it:' : outcomeText(explained),
    ...holding.map(({ rule, action, because }) => `  the rule ${rule} (${action}): ${because}`),
  ];
}
