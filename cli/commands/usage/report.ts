// `libretto report`: hands in the lock file of a project, or removes the project.

import { resolve } from 'node:path';

import { reportProject } from '../../../proxy/usage/operations.ts';
import { readLockFile } from '../../io/lock-file.ts';
import { counted } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { operationCommand } from '../operation-command.ts';
import { usageNoun } from './usage.ts';

export const { run } = operationCommand(
  { ...usageNoun, thing: 'project', flags: { packages: 'composer.lock' } },
  async ({ operands: [lock], flags, context, call, report }) => {
    if ((lock === undefined) !== (flags['remove'] === true)) throw new UsageError('Give a composer.lock, or --remove.');
    const locked = lock === undefined ? [] : readLockFile(resolve(context.workingDirectory, lock));
    const name = String(flags['project']);
    const packages = locked.map(({ name: used, version }) => ({ name: used, version }));
    report(await call(reportProject, { project: name, packages }), ({ packages: count }) => [
      lock === undefined ? `Removed ${name}.` : `${name} uses ${counted(count, 'package')} of this registry.`,
    ]);
  },
  { area: 'all', changes: true, makesState: true },
);
