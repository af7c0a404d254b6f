// `libretto repository show`: one repository, and its last syncs. Never its credentials.

import { jobDocument } from '../../proxy/sync/repository-document.ts';
import type { Given } from '../command.ts';
import type { Context } from '../context.ts';
import { printJson, printLines } from '../output.ts';
import { runRepositoryCommand } from '../repository-command.ts';
import { describeJob, describeRepository } from '../repository-text.ts';

export function run(context: Context, given: Given): Promise<number> {
  return runRepositoryCommand(context, given, async ({ repositories, syncing, show, id, json }) => {
    const record = await repositories.get(id);
    const document = await show(record);
    const jobs = (await syncing.jobs.list(record.id)).map(jobDocument);
    if (json) printJson(context.stdout, { ...document, jobs });
    else printLines(context.stdout, [...describeRepository(document), ...jobs.slice(0, 1).flatMap((job) => ['', ...describeJob(job)])]);
    return 0;
  });
}
