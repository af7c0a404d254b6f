// `libretto review --archives OLD.zip NEW.zip`: what the new archive can do that the old one could not. Exit code 0, also
// with findings; 1 if an archive could not be read within the limits.

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeCapability } from '../../../build/review/capabilities.ts';
import { describeFinding, type Finding } from '../../../build/review/finding.ts';
import type { ArchiveReview } from '../../../build/review/review-archives.ts';
import type { Unseen } from '../../../proxy/contents/look-inside.ts';
import { createWorkerThread } from '../../../proxy/packages/worker-thread.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, printJson, printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';

const longestMs = 60_000;
const megabytes = 512;
const tooMuch = 'The archives take too much time or memory to review. This is unusual for a release.';

export async function run({ workingDirectory, stdout }: Context, { flags, operands }: CommandInput): Promise<number> {
  if (operands.length !== 2)
    throw new UsageError('--archives compares two archives: name the old one, then the new one.');
  const archives = operands.map((given) => archiveAt(resolve(workingDirectory, given)));
  const look = createWorkerThread(new URL('./contents-worker.js', import.meta.url), () => undefined, megabytes);
  const task = { kind: 'review', archives, paths: [] };
  const review = await look<ArchiveReview | Unseen>('lookInto', task, longestMs).catch((): Unseen => ({
    kind: 'unseen',
    sentence: tooMuch,
  }));
  if (flags['json'] === true) printJson(stdout, documentOf(review));
  else printLines(stdout, review.kind === 'unseen' ? [review.sentence] : describeReview(review));
  return review.kind === 'unseen' ? 1 : 0;
}

function archiveAt(file: string): { readonly file: string; readonly identity: string } {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new UsageError(`There is no file ${file}. Name two ZIP archives.`);
  return { file, identity: file };
}

function documentOf(review: ArchiveReview | Unseen): object {
  if (review.kind === 'unseen') return { ok: false, problem: review.sentence };
  const { kind: _kind, rules, capabilities, ...found } = review;
  return { ok: true, rules, ...capabilities, ...found };
}

function describeReview({ capabilities, findings, left }: ArchiveReview): string[] {
  const [loaded, apart] = [findings.filter((one) => one.loaded), findings.filter((one) => !one.loaded)];
  const parts = [
    { title: 'By composer.json:', lines: capabilities.gained.map(describeCapability) },
    { title: 'By files and code that Composer loads:', lines: loaded.map(lineOf) },
    { title: 'By tests, documentation and other files:', lines: apart.map(lineOf) },
  ].filter(({ lines }) => lines.length > 0);
  if (parts.length === 0)
    return ['The new archive can do nothing that the old one could not, as far as the review sees.'];
  return [
    ...parts.flatMap(({ title, lines }) => [title, ...lines.map((line) => `  ${line}`)]),
    ...(left === 0 ? [] : [`${counted(left, 'finding')} more ${left === 1 ? 'is' : 'are'} not listed.`]),
  ];
}

function lineOf(finding: Finding): string {
  const { file, line } = finding;
  const place = file === null ? '' : `: ${file}${line === null ? '' : `:${line}`}`;
  return `${describeFinding(finding)}${place}`;
}
