// `libretto verify`: exit code 0 when the tree contains all files that it names, otherwise 1.

import { verifyTree, type VerifyReport } from '../../../build/inspect/verify.ts';
import type { StoreReport } from '../../../build/store/verify-store.ts';
import { outputStore } from '../../data-folder/output-store.ts';
import type { Config } from '../../config/config.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { counted, firstOf, printJson, printLines, printProblems } from '../../io/output.ts';
import { startProgress } from '../../io/progress.ts';
import type { CommandInput } from '../../io/command.ts';

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const { stdout, stderr } = context;
  const config = await readDataFolder(context, flags, 'tree');
  const fast = flags['fast'] === true;
  const report = await verifyTree(config.data.value, { fast });
  const stored = await verifyOutput(config, context, fast);
  if (flags['json'] === true) printJson(stdout, { ...documentOf(report), ...(stored && { output: stored }) });
  else printLines(stdout, [summarize(report), ...summarizeOutput(stored)]);
  printProblems(stderr, [
    ...describe(report),
    ...firstOf(
      (stored?.faults ?? []).map(({ key, message }) => `  ${key}: ${message}`),
      40,
    ),
  ]);
  return report.ok && (stored?.faults.length ?? 0) === 0 ? 0 : 1;
}

/** undefined: the data folder has the tree. */
async function verifyOutput(config: Config, context: Context, fast: boolean): Promise<StoreReport | undefined> {
  const store = await outputStore(config, context)?.open();
  if (store === undefined) return undefined;
  const { verifyStore } = await import('../../../build/store/verify-store.ts'); // only for an object store
  const progress = await startProgress(context.progress, () => context.now().getTime(), 'verify');
  const onChecked = (label: string, done: number, total: number): void =>
    progress.show({ phase: 'verify', label, done, total });
  return verifyStore(config.data.value, store, { fast, onChecked }).finally(() => {
    progress.stop();
    store.close();
  });
}

function summarizeOutput(report: StoreReport | undefined): readonly string[] {
  if (report === undefined) return [];
  const { objects, faults } = report;
  return [
    `Checked ${counted(objects, 'object')} of the store: ` +
      (faults.length === 0 ? 'all as published.' : `${counted(faults.length, 'fault')}.`),
  ];
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
