// `libretto impact composer.lock…`: exit code 0 if this registry still has everything that the locks name, unchanged;
// otherwise 1.

import { resolve } from 'node:path';

import { impactOf, type Impact, type ImpactReport } from '../../../build/inspect/impact.ts';
import { readDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Context } from '../../io/context.ts';
import { readLockFile } from '../../io/lock-file.ts';
import { registryAddress } from '../../remote/registry-address.ts';
import { counted, firstOf, printJson, printLines, printProblems } from '../../io/output.ts';
import type { CommandInput } from '../../io/command.ts';

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { workingDirectory, stdout, stderr } = context;
  const url = registryAddress(flags, context.environment);
  const { data } = await readDataFolder(context, flags, 'tree');
  const host = url === undefined ? undefined : new URL(url).host;
  const locks: { readonly lock: string; readonly report: ImpactReport }[] = [];
  for (const lock of operands)
    locks.push({ lock, report: await impactOf(data.value, readLockFile(resolve(workingDirectory, lock)), host) });
  const impacts = locks.flatMap(({ lock, report }) => report.impacts.map((impact) => ({ lock, ...impact })));
  if (flags['json'] === true)
    printJson(stdout, {
      ok: impacts.length === 0,
      locks: locks.map(({ lock, report: { checked, elsewhere } }) => ({ lock, checked, elsewhere })),
      impacts,
    });
  else
    printLines(
      stdout,
      locks.map(
        ({ lock, report }) =>
          `${lock}: ${counted(report.checked, 'package')} of this registry, ` +
          `${report.impacts.length === 0 ? 'all as locked' : `${report.impacts.length} not as locked`}.`,
      ),
    );
  printProblems(stderr, firstOf(impacts.map(line), 40));
  return impacts.length === 0 ? 0 : 1;
}

function line({ lock, name, version, kind, message }: Impact & { readonly lock: string }): string {
  return `  ${lock}: ${name} ${version}: ${kind}. ${message}`;
}
