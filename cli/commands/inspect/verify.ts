// `libretto verify`: exit code 0 when the tree contains all files that it names, otherwise 1.

import { verifyTree, type VerifyReport } from '../../../build/inspect/verify.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { counted, firstOf, printJson, printLines, printProblems } from '../../io/output.ts';
import type { CommandInput } from '../../io/command.ts';

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const { stdout, stderr } = context;
  const { data } = await readDataFolder(context, flags, 'tree');
  const report = await verifyTree(data.value, { fast: flags['fast'] === true });
  if (flags['json'] === true) printJson(stdout, documentOf(report));
  else printLines(stdout, [summarize(report)]);
  printProblems(stderr, describe(report));
  return report.ok ? 0 : 1;
}

function documentOf(report: VerifyReport): object {
  const faults = report.faults.map(({ code, path, name = null, version = null, message }) => ({
    code,
    path,
    name,
    version,
    message,
  }));
  return { ...report, faults };
}

function summarize({ checked, faults, ok }: VerifyReport): string {
  return (
    `Checked ${counted(checked.packages, 'package')}, ${counted(checked.versions, 'version')}, ` +
    `${counted(checked.archives, 'archive')}: ${ok ? 'all as published.' : `${counted(faults.length, 'fault')}.`}`
  );
}

function describe({ faults, same_files: same, notices }: VerifyReport): readonly string[] {
  const sameFiles = same.map(({ message }) => `  ${message}`);
  return [
    ...firstOf(
      faults.map(({ code, path, message }) => `  ${path}: ${message} [${code}]`),
      40,
    ),
    ...(same.length === 0 ? [] : ['These have the files of a purged version, and stay:', ...firstOf(sameFiles, 40)]),
    ...notices.map(({ path, message }) => `Notice: ${path}: ${message}`),
  ];
}
