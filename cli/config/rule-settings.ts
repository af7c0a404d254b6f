// Settings that are one whole number each: limits, rules for people, and how long things are kept. Most of them can be
// changed while the registry runs.

import type { JsonObject } from '../../build/contract/json.ts';
import { mostRequestsAnHour, settingDefinitions } from '../../proxy/settings/definitions.ts';
import { parseWholeNumber } from './setting-values.ts';
import type { Setting } from './setting.ts';

interface WholeNumber {
  readonly key: string;
  readonly variable: string;
  readonly purpose: string;
  readonly allowed: string;
  readonly least: number;
  readonly most: number;
  readonly standard: number;
}

function wholeNumber({
  key,
  variable,
  purpose,
  allowed,
  least,
  most,
  standard,
}: WholeNumber): Setting<number> & { readonly schema: JsonObject } {
  return {
    key,
    flag: undefined,
    variable,
    purpose,
    allowed,
    parse: (raw) => parseWholeNumber(raw, least, most),
    standard: () => standard,
    schema: { type: 'integer', minimum: least, maximum: most },
  };
}

const requestLimit = (kind: 'read' | 'write'): Setting<number> =>
  wholeNumber({
    key: `limits.${kind}`,
    variable: `LIBRETTO_LIMITS_${kind.toUpperCase()}`,
    purpose: `requests an hour of a ${kind} token that has no limit of its own`,
    allowed: `a whole number from 0 (no limit) to ${mostRequestsAnHour}`,
    least: 0,
    most: mostRequestsAnHour,
    standard: settingDefinitions[`limits.${kind}`].standard,
  });

/** A day: whoever needs longer fetches the repository by other means. */
const longestGitSeconds = 86_400;

const gitTimeout = (key: 'askTimeout' | 'fetchTimeout', purpose: string, standard: number): Setting<number> =>
  wholeNumber({
    key: `git.${key}`,
    variable: `LIBRETTO_GIT_${key === 'askTimeout' ? 'ASK' : 'FETCH'}_TIMEOUT`,
    purpose,
    allowed: `seconds, a whole number from 1 to ${longestGitSeconds}`,
    least: 1,
    most: longestGitSeconds,
    standard,
  });

const rule = (
  name:
    | 'sessions.lifetime'
    | 'passwords.min_length'
    | 'retention.artifacts_days'
    | 'retention.statistics_days'
    | 'retention.jobs',
  unit: string,
  purpose: string,
): Setting<number> => {
  const { least, most, standard } = settingDefinitions[name];
  const key = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return wholeNumber({
    key,
    variable: `LIBRETTO_${name.replace('.', '_').toUpperCase()}`,
    purpose,
    allowed: `${unit}a whole number from ${least} to ${most}`,
    least,
    most,
    standard,
  });
};

export const ruleSettings = {
  stateGrace: wholeNumber({
    key: 'stateGrace',
    variable: 'LIBRETTO_STATE_GRACE',
    purpose: 'how long tokens that are known are honoured while the Redis of the state is away',
    allowed: 'seconds, a whole number from 0 to 86400',
    least: 0,
    most: 86_400,
    standard: 60,
  }),
  limitsRead: requestLimit('read'),
  limitsWrite: requestLimit('write'),
  sessionsLifetime: rule('sessions.lifetime', 'seconds, ', 'how long a session lives after a login'),
  passwordsMinLength: rule('passwords.min_length', '', 'characters that a new password must have at least'),
  retentionArtifactsDays: rule(
    'retention.artifacts_days',
    'days, ',
    'how long a cleanup keeps withdrawn and superseded ZIPs, unless it is told otherwise',
  ),
  retentionStatisticsDays: rule('retention.statistics_days', 'days, ', 'how long downloads are kept by day'),
  retentionJobs: rule('retention.jobs', '', 'how many jobs are kept of each repository'),
  gitAskTimeout: gitTimeout('askTimeout', 'how long a remote repository may take to say what it has', 60),
  gitFetchTimeout: gitTimeout(
    'fetchTimeout',
    'how long a fetch of a remote repository may take, or git be silent while it reads one',
    300,
  ),
};
