// Settings that are one number or word each: limits, rules for people, counts and retention times. Most can change
// while the registry runs.

import { downloadCounts, settingDefinitions } from '../../proxy/settings/definitions.ts';
import { mostRequestsAnHour } from '../../proxy/settings/setting-kinds.ts';
import { wholeNumber, type Setting } from './setting.ts';

const requestLimit = (kind: 'read' | 'write'): Setting<number> =>
  wholeNumber({
    key: `limits.${kind}`,
    variable: `LIBRETTO_LIMITS_${kind.toUpperCase()}`,
    purpose: `requests per hour of a ${kind} token without its own limit`,
    allowed: `a whole number from 0 (no limit) to ${mostRequestsAnHour}`,
    least: 0,
    most: mostRequestsAnHour,
    standard: () => settingDefinitions[`limits.${kind}`].standard,
  });

/** One day. A repository that takes longer has to be fetched by other means. */
const longestGitSeconds = 86_400;

const gitTimeout = (key: 'askTimeout' | 'fetchTimeout', purpose: string, standard: number): Setting<number> =>
  wholeNumber({
    key: `git.${key}`,
    variable: `LIBRETTO_GIT_${key === 'askTimeout' ? 'ASK' : 'FETCH'}_TIMEOUT`,
    purpose,
    allowed: `seconds, a whole number from 1 to ${longestGitSeconds}`,
    least: 1,
    most: longestGitSeconds,
    standard: () => standard,
  });

const rule = (
  name:
    | 'sessions.lifetime'
    | 'passwords.min_length'
    | 'retention.artifacts_days'
    | 'retention.statistics_days'
    | 'retention.jobs'
    | 'sync.parallel',
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
    standard: () => standard,
  });
};

export const ruleSettings = {
  stateGrace: wholeNumber({
    key: 'stateGrace',
    variable: 'LIBRETTO_STATE_GRACE',
    purpose: 'the time that known tokens stay valid while the Redis of the state is down',
    allowed: 'seconds, a whole number from 0 to 86400',
    least: 0,
    most: 86_400,
    standard: () => 60,
  }),
  limitsRead: requestLimit('read'),
  limitsWrite: requestLimit('write'),
  sessionsLifetime: rule('sessions.lifetime', 'seconds, ', 'the lifetime of a session after login'),
  passwordsMinLength: rule('passwords.min_length', '', 'the minimum length of a new password, in characters'),
  retentionArtifactsDays: rule(
    'retention.artifacts_days',
    'days, ',
    'the time that a cleanup keeps withdrawn and superseded ZIPs by default',
  ),
  retentionStatisticsDays: rule(
    'retention.statistics_days',
    'days, ',
    'the time that daily download and install counts are kept',
  ),
  statisticsBy: {
    key: 'statistics.by',
    flag: undefined,
    variable: 'LIBRETTO_STATISTICS_BY',
    purpose: 'what downloads are counted by: the version alone, or also the token, which shows who uses a version',
    allowed: 'version or token',
    parse: (raw: unknown) => downloadCounts.find((one) => one === raw),
    standard: (): (typeof downloadCounts)[number] => 'version',
    schema: { enum: [...downloadCounts] },
  },
  retentionJobs: rule('retention.jobs', '', 'the number of jobs kept per repository'),
  syncParallel: rule('sync.parallel', '', 'the number of repositories that a server syncs at once'),
  gitAskTimeout: gitTimeout('askTimeout', 'the timeout for listing the branches and tags of a remote repository', 60),
  gitFetchTimeout: gitTimeout(
    'fetchTimeout',
    'the timeout for a fetch of a remote repository, and for silence of git while reading',
    300,
  ),
};
