// `libretto repository`: the commands about registered repositories.

import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { RegistryError } from '../../../build/contract/errors.ts';
import type { JobDocument } from '../../../proxy/sync/job-schema.ts';
import {
  createRepository,
  deleteRepository,
  getJob,
  getRepository,
  listJobs,
  listRepositories,
  replaceCredentials,
  syncRepository,
  updateRepository,
  verifyRepository,
  type RepositoryServices,
} from '../../../proxy/sync/operations.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, firstOf, printChanges, printJson, printLines, printProblems } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import {
  describeJob,
  describeLeftOut,
  describeRepository,
  describeVerification,
  repositoryTable,
} from '../../text/repository-text.ts';
import type { CommandModule } from '../command-parts.ts';
import { operationCommand, type Noun, type OperationCommand } from '../operation-command.ts';
import { composeRepositories } from './repository-command.ts';
import { repositoryDraft, repositoryPatch } from './repository-flags.ts';

type RepositoryCommand = OperationCommand<RepositoryServices>;

const noun: Noun<RepositoryServices> = {
  name: 'repository',
  flags: {
    url: 'the address',
    credentials: 'the credentials',
    tags: '--tag',
    branches: '--branch',
    subdirectories: '--subdirectory',
    packages: '--package',
  },
  compose: (opened, context) => {
    const { syncing } = composeRepositories(opened, context);
    // the withdrawal of a removal goes on
    return { services: syncing, close: () => syncing.syncer.idle().then(() => syncing.close()) };
  },
};

export const list = operationCommand(noun, async ({ all, json, context, print }) => {
  const repositories = await all(listRepositories);
  if (repositories.length === 0 && !json)
    printLines(context.remarks, ['No repository is registered. Register one with `libretto repository add URL`.']);
  else print({ repositories }, () => repositoryTable(repositories));
});

export const show = operationCommand(noun, async ({ call, all, operands: [id = ''], print }) => {
  const repository = await call(getRepository, { id });
  const jobs = await all(listJobs, { id });
  print({ ...repository, jobs }, () => [
    ...describeRepository(repository),
    ...jobs.slice(0, 1).flatMap((job) => ['', ...describeJob(job), ...leftOutLines(job)]),
  ]);
});

function leftOutLines(job: JobDocument): readonly string[] {
  const lines = describeLeftOut(job);
  return lines.length === 0 ? [] : ['Left out:', ...lines];
}

export const add = operationCommand(
  noun,
  async ({ operands: [place = ''], flags, config, context, call, report }) => {
    const draft = repositoryDraft(place, flags, context.workingDirectory, config !== undefined);
    report(await call(createRepository, draft), (repository) => [
      ...describeRepository(repository),
      '',
      repository.type === 'composer'
        ? 'Running servers ask it from now on. A new registry needs its first publication before: run `libretto build`.'
        : repository.interval === null
          ? `Read it with \`libretto repository sync ${repository.id}\`.`
          : `A running server reads it within seconds. Without one: \`libretto repository sync ${repository.id}\`.`,
    ]);
  },
  { makes: true },
);

export const update = operationCommand(
  noun,
  async ({ operands: [id = ''], flags, config, context, call, report }) => {
    const { credentials, ...others } = repositoryPatch(flags, context.workingDirectory);
    const hasOthers = Object.values(others).some((value) => value !== undefined);
    if (config === undefined && credentials !== undefined) {
      if (hasOthers)
        throw new UsageError('With --url, change the credentials and the other values one after the other.');
      await call(replaceCredentials, { id, credentials });
    }
    report(await call(updateRepository, { id, credentials, ...others }), describeRepository);
  },
  { changes: true },
);

export const remove: CommandModule = {
  publishes: true,
  ...operationCommand(
    noun,
    async ({ operands: [id = ''], flags, call, report }) => {
      const { type, url } = await call(getRepository, { id });
      const removed = await call(deleteRepository, { id, confirm: flags['yes'] === true ? id : undefined }).catch(
        (error: unknown) => {
          throw error instanceof RegistryError && error.code === 'CONFIRMATION_REQUIRED'
            ? unconfirmed(error, id)
            : error;
        },
      );
      report(removed, ({ packages }) => [
        type === 'composer'
          ? `Removed ${url}; it is no longer used.`
          : `Removed ${url}; ${counted(packages.length, 'package')} withdrawn.`,
      ]);
    },
    { changes: true },
  ),
};

function unconfirmed({ details }: RegistryError, id: string): UsageError {
  const packages = Array.isArray(details['packages']) ? details['packages'].map(String) : [];
  return new UsageError(
    [
      packages.length === 0
        ? `Removing ${id} withdraws nothing.`
        : `Removing ${id} withdraws ${counted(packages.length, 'package')}:`,
      ...firstOf(
        packages.map((name) => `  ${name}`),
        40,
      ),
      'Add --yes to remove it.',
    ].join('\n'),
  );
}

const unreadable: ReadonlySet<string> = new Set(['INVALID_INPUT', 'EGRESS_DENIED', 'OUTSIDE_SOURCE_ROOTS']);

/** Exit code 1 if it cannot be read. */
const verifyCommand = operationCommand(
  noun,
  async ({ operands: [id = ''], call, context, json, print }) => {
    const repository = await call(getRepository, { id });
    const found = await call(verifyRepository, { id }).catch((error: unknown) => {
      if (error instanceof RegistryError && unreadable.has(error.code)) return error;
      throw error;
    });
    if (!(found instanceof RegistryError) && found.ok) {
      print(found, () => describeVerification(repository, found));
      return 0;
    }
    if (json) printJson(context.stdout, found instanceof RegistryError ? found.body() : found);
    else printProblems(context.stderr, [`${repository.url} cannot be read: ${found.message}`]);
    return 1;
  },
  { changes: true },
);

export const verify: CommandModule = {
  run: async (context, given) =>
    (given.flags['record'] === undefined ? verifyCommand : await import('./child-verify.ts')).run(context, given),
};

export const sync: CommandModule = {
  publishes: true,
  run: async (context, given) =>
    given.flags['child'] === true ? (await import('./child-sync.ts')).run(context, given) : syncAndWait(context, given),
};

/** Ctrl+C ends a sync of this machine. One of a remote registry goes on. */
async function syncAndWait(context: Context, given: CommandInput): Promise<number> {
  let interrupted: number | undefined;
  const interruptible: typeof noun = {
    ...noun,
    compose: (opened) => {
      const { syncing } = composeRepositories(opened, context);
      for (const name of ['SIGINT', 'SIGTERM'] as const)
        context.onSignal(name, () => {
          interrupted ??= 128 + constants.signals[name];
          void syncing.close();
        });
      return { services: syncing, close: syncing.close };
    },
  };
  const { run } = operationCommand(interruptible, async (command) => printJob(command, await finished(command)), {
    changes: true,
  });
  const exitCode = await run(context, given);
  return interrupted ?? exitCode;
}

async function finished({ call, config, operands: [id = ''] }: RepositoryCommand): Promise<JobDocument> {
  let job = await call(syncRepository, { id });
  while (job.state === 'queued' || job.state === 'running') {
    await sleep(config === undefined ? 1000 : 100);
    job = await call(getJob, { id, job: job.id });
  }
  return job;
}

/** Gives the exit code. */
function printJob({ context, json }: RepositoryCommand, job: JobDocument): number {
  if (json) printJson(context.stdout, job);
  else if (job.state === 'failed') printProblems(context.stderr, describeJob(job));
  else printChanges(context.summary, describeJob(job));
  printProblems(context.stderr, describeLeftOut(job));
  if (job.error?.code === 'BUILD_BUSY') return 75;
  return job.state === 'failed' || (job.report?.counts.quarantined ?? 0) > 0 ? 1 : 0;
}
