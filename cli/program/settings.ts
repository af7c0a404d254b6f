// The commands for settings and for the audit log.

import { declaringGroup, type Declarations } from './declare.ts';

const settingsCommands = {
  list: {
    summary: 'list the settings',
    description: 'List the settings with their values and the origin of each value.',
    registry: 'reads',
    examples: ['libretto settings list --json'],
  },
  set: {
    operands: {
      '<setting>': 'the name of a setting in `libretto settings list`',
      '<value>': 'a number, true, false, text, or a list in JSON',
    },
    summary: 'change a setting',
    description:
      'Change a setting. The new value overrides libretto.json. A flag or variable of the server overrides both.',
    registry: 'session',
    examples: ['libretto settings set limits.read 5000', 'libretto settings set metadata_url /p2/%package%.json'],
  },
  unset: {
    operands: { '<setting>': 'the name of a setting in `libretto settings list`' },
    summary: 'remove a change',
    description: 'Remove a change: the value in libretto.json or the default applies again.',
    registry: 'session',
    examples: ['libretto settings unset limits.read'],
  },
} satisfies Declarations;

export const addSettings = declaringGroup('settings', settingsCommands, {
  summary: 'list and change the settings of a running registry',
  description:
    'List and change the settings of a running registry. Changes take effect at once, also in a running server.',
  examples: ['libretto settings list', 'libretto settings set limits.read 5000'],
  load: () => import('../commands/settings/settings.ts'),
});

const auditCommands = {
  list: {
    summary: 'list events, newest first',
    description: 'List the newest events that match the filters.',
    options: {
      '--actor <actor>': 'the author, such as user:usr_9QwErTy04fHj2kLm or cli:root',
      '--action <action>': 'the action, such as token.create',
      '--subject <id>': 'the id of the changed object',
      '--since <time>': 'events since this day or time',
      '--until <time>': 'events before this day or time',
      '--limit <n>': { text: 'the maximum number of events', default: '50' },
    },
    registry: 'reads',
    examples: ['libretto audit list --action login.refused --since 2027-01-31'],
  },
  verify: {
    summary: 'check that no event was changed or removed',
    description:
      'Check that no event was changed, moved or removed. Otherwise the exit code is 1, and the command names ' +
      'the first such event.',
    options: { '--head <seq:hash>': 'a head that was printed or logged earlier: the log must still contain its event' },
    registry: 'state',
    examples: ['libretto audit verify --head 120:5f0c…'],
  },
} satisfies Declarations;

export const addAudit = declaringGroup('audit', auditCommands, {
  summary: 'read and verify the audit log',
  description: 'Read and verify the audit log. It contains one event for every change and every refused login.',
  examples: ['libretto audit list --action token.create', 'libretto audit verify'],
  load: () => import('../commands/audit/audit.ts'),
});
