// A second, naive judge of the policy, for comparison with the real one. It knows only the forms that the random series
// uses.

import { satisfies } from 'semver';

export interface ModelVersion {
  readonly version: string;
  readonly license: string;
  readonly type: string;
  readonly abandoned: boolean;
  /** epoch milliseconds */
  readonly timeMs: number;
}

export interface ModelPackage {
  readonly name: string;
  readonly origin: 'private' | 'mirrored';
  readonly versions: readonly ModelVersion[];
  readonly advisories: readonly {
    readonly id: string;
    readonly severity: string | null;
    readonly constraint: string;
  }[];
  readonly listed: readonly string[];
  /** versions that only the archives still have */
  readonly withdrawn: readonly string[];
}

export type ModelRule = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly rule: string;
  readonly action: string;
};

export interface ModelException {
  readonly rule: string;
  readonly packages: readonly string[];
  readonly versions?: string;
  readonly until: string;
}

export interface ModelView {
  readonly packages?: readonly string[];
  readonly constraint?: string;
}

const severities = ['low', 'medium', 'high', 'critical'];
const isDev = (version: string): boolean => version.startsWith('dev-');
const globs = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name));
const within = (constraint: string, version: string): boolean =>
  constraint === '*' || (!isDev(version) && satisfies(version, constraint.replace('.*', '.x')));

export function modelSees({ packages, constraint }: ModelView, name: string, version: string): boolean {
  return (packages === undefined || globs(packages, name)) && (constraint === undefined || within(constraint, version));
}

/** `archive`: undefined for the metadata; else whether the registry has the archive. */
export function modelBlocks(
  { rules, exceptions }: { readonly rules: readonly ModelRule[]; readonly exceptions: readonly ModelException[] },
  of: ModelPackage,
  version: ModelVersion,
  { token, nowMs, archive }: { readonly token: string; readonly nowMs: number; readonly archive?: boolean },
): boolean {
  return rules.some((rule) => {
    if (rule.action !== 'block' || !isInScope(rule, of, version, token) || !hits(rule, of, version, nowMs))
      return false;
    if (archive === true && rule['archives'] === 'serve') return false;
    return !exceptions.some(
      (one) =>
        one.rule === rule.name &&
        globs(one.packages, of.name) &&
        within(one.versions ?? '*', version.version) &&
        nowMs < (one.until.length === 10 ? Date.parse(`${one.until}T00:00:00Z`) + 86_400_000 : Date.parse(one.until)),
    );
  });
}

function isInScope(rule: ModelRule, { name, origin }: ModelPackage, { version }: ModelVersion, token: string): boolean {
  const { packages, except, stability, origin: wanted, tokens } = rule;
  return (
    (packages === undefined || globs(packages as string[], name)) &&
    (except === undefined || !globs(except as string[], name)) &&
    (stability === undefined || (stability === 'dev') === isDev(version)) &&
    (wanted === undefined || wanted === origin) &&
    (tokens === undefined || (tokens as string[]).includes(token))
  );
}

function hits(rule: ModelRule, of: ModelPackage, version: ModelVersion, nowMs: number): boolean {
  switch (rule.rule) {
    case 'advisories':
      return of.advisories.some(
        ({ id, severity, constraint }) =>
          within(constraint, version.version) &&
          !((rule['ignore'] ?? []) as string[]).includes(id) &&
          (severity === null || severities.indexOf(severity) >= severities.indexOf(String(rule['severity'] ?? 'low'))),
      );
    case 'filter':
      return (rule['lists'] as string[]).includes('malware') && of.listed.some((one) => within(one, version.version));
    case 'age':
      return version.timeMs + Number(rule['days']) * 86_400_000 > nowMs;
    case 'license':
      return !(rule['allow'] as string[]).includes(version.license);
    case 'abandoned':
      return version.abandoned;
    case 'plugin':
      return version.type === 'composer-plugin' && !globs(rule['allow'] as string[], of.name);
    default:
      throw new Error(`the model knows no rule ${rule.rule}`);
  }
}
