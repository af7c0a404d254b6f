// `libretto import satis`: writes a libretto.json, and names every option that could not be carried over on standard
// error. Exit code 0 even then.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';

import { storageAdvice, storageFaultOf } from '../../../build/contract/storage-fault.ts';
import { isJsonObject, protoMember, type JsonObject } from '../../../build/contract/json.ts';
import { quoteForShell } from '../../../build/shared/text/quote-for-shell.ts';
import type { Context } from '../../io/context.ts';
import { counted, printJson, printLines, printWarnings } from '../../io/output.ts';
import type { CommandInput } from '../../io/command.ts';
import { jsonFault } from '../../config/json-fault.ts';
import { importSatis, type SatisImport } from '../../satis/import-satis.ts';
import { describeReadFault } from '../../io/read-fault.ts';
import { UsageError } from '../../io/usage-error.ts';

export function run(
  { workingDirectory, stdout, summary, stderr }: Context,
  { flags, operands }: CommandInput,
): Promise<number> {
  const file = resolve(workingDirectory, operands[0] ?? '');
  const out = flags['out'] === '-' ? undefined : resolve(workingDirectory, String(flags['out']));
  const base = out === undefined ? workingDirectory : dirname(out);
  const imported = importSatis(readSatis(file), {
    rebase: (path) => rebased(path, dirname(file), base),
    exists: (path) => existsSync(resolve(dirname(file), path)),
  });
  const text = `${JSON.stringify(imported.config, null, 2)}\n`;
  if (out !== undefined) writeNew(out, text);
  if (flags['json'] === true) printJson(stdout, { out: out ?? null, config: imported.config, options: imported.lines });
  else if (out === undefined) stdout.write(text);
  else
    printLines(summary, [
      `Wrote ${out}: ${counted((imported.config['sources'] as readonly unknown[]).length, 'source')}. Build it ` +
        `with \`libretto build --config ${quoteForShell(String(flags['out']))}\`.`,
    ]);
  printWarnings(stderr, describeLosses(imported));
  return Promise.resolve(0);
}

function describeLosses({ lines }: SatisImport): string[] {
  const losses = lines.filter(({ outcome }) => outcome === 'not-carried');
  if (losses.length === 0) return [];
  return [
    `${counted(losses.length, 'option')} could not be carried over:`,
    ...losses.map(({ option, detail }) => `  ${option}: ${detail}`),
  ];
}

function readSatis(file: string): JsonObject {
  const text = readText(file).replace(/^\ufeff/, '');
  const fault = jsonFault(text);
  if (fault !== undefined) throw new UsageError(`${file} ${fault}`);
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new UsageError(`${file} is not a satis.json: it contains no JSON object.`);
  const proto = protoMember(json);
  if (proto !== undefined) throw new UsageError(`${file}: the key ${proto.join('.')} cannot be used. Remove it.`);
  return json;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${describeReadFault(error)}. Name the satis.json to convert.`, {
      cause: error,
    });
  }
}

/** An existing libretto.json is not replaced. */
function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (storageFaultOf(error) !== undefined)
      throw new UsageError(`${path} cannot be written. ${storageAdvice(error)}`, { cause: error });
    const reason =
      error.code === 'EEXIST'
        ? 'exists already. Name another file with --out, or - for standard output.'
        : `cannot be written: ${error.message}`;
    throw new UsageError(`${path} ${reason}`, { cause: error });
  }
}

function rebased(path: string, from: string, to: string): string {
  return isAbsolute(path) ? path : relative(to, resolve(from, path)) || '.';
}
