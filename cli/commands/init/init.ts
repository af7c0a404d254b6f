// `libretto init`: asks for the facts of a new registry, and writes libretto.json, and on wish the systemd units and
// the configuration of the reverse proxy. Nothing is written before the last answer, and no existing file is replaced.

import { dirname, join, resolve } from 'node:path';

import { resolveBySystem } from '../../../build/egress/guarded-agent.ts';
import type { Answers } from '../../init/answers.ts';
import { collectAnswers } from '../../init/collect-answers.ts';
import { configText } from '../../init/config-text.ts';
import {
  fillOperator,
  fillProxyFile,
  fillUnit,
  operatorFile,
  proxyTemplates,
  unitFiles,
  type Filling,
} from '../../init/deploy-files.ts';
import { unfitAddress } from '../../init/unfit-address.ts';
import { hiddenPlaces } from '../../init/hidden-places.ts';
import { readDeployFile, schemaOf, refuseExisting, writeAll, type NewFile } from '../../init/init-files.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printLines } from '../../io/output.ts';
import { openQuestions, QuestionsCancelled } from '../../io/questions.ts';
import { UsageError } from '../../io/usage-error.ts';
import { diagnose } from '../inspect/doctor.ts';
import { nextSteps } from './next-steps.ts';
import { programCommand, unitPlaces } from './unit-places.ts';

/** Where systemd units expect libretto.json. */
const installedConfig = '/etc/libretto/libretto.json';
/** as after Ctrl+C in a shell */
const cancelledExitCode = 130;

export async function run(context: Context, { flags }: CommandInput): Promise<number> {
  const { workingDirectory, stderr, summary } = context;
  const out = resolve(workingDirectory, String(flags['out']));
  refuseExisting([out], 'Change it with an editor, or name another file with --out.');
  const answers = await answersOf(context, withProxyFile(flags), out);
  if (answers === undefined) {
    printLines(stderr, ['', 'Cancelled. Nothing was written.']);
    return cancelledExitCode;
  }
  const files = filesOf(context, answers, out);
  refuseExisting(
    files.map(({ path }) => path),
    'Remove it, or name another file.',
  );
  writeAll(files);
  printLines(
    summary,
    files.map(({ path }) => `Wrote ${path}`),
  );
  printLines(summary, ['', 'libretto doctor:']);
  const doctor = await diagnose(context, { config: out }, true, summary);
  const warnings = [
    ...(answers.systemd === undefined ? [] : hiddenPlaces(unitPlaces(answers))),
    ...unfitAddress(answers),
  ];
  if (doctor !== 0) warnings.push(notYet);
  if (flags['quiet'] === true) printLines(stderr, warnings);
  printLines(summary, [
    '',
    ...nextSteps({ answers, out, operator: join(dirname(out), operatorFile), warnings, ...context }),
  ]);
  return doctor;
}

const notYet =
  'The doctor found a fault: repair it as its line says (`libretto doctor`), and change libretto.json where needed. The ' +
  'server cannot start, or clients cannot use it, before that.';

/** --nginx FILE names the proxy and its file. */
function withProxyFile(flags: CommandInput['flags']): CommandInput['flags'] {
  const kinds = (['nginx', 'caddy', 'haproxy'] as const).filter((kind) => flags[kind] !== undefined);
  const [kind, other] = kinds;
  if (kind === undefined) return flags;
  if (other !== undefined) throw new UsageError(`--${kind} and --${other} name two reverse proxies. Give one of them.`);
  const { proxy = kind } = flags;
  if (proxy !== kind) throw new UsageError(`--proxy is ${String(proxy)}, but --${kind} writes the file of ${kind}.`);
  return { ...flags, proxy: kind, proxyFile: flags[kind] };
}

/** undefined: the person cancelled the questions. */
async function answersOf(context: Context, flags: CommandInput['flags'], out: string): Promise<Answers | undefined> {
  const { stdin, stderr, remarks, workingDirectory, environment } = context;
  const standardsApply = flags['yes'] === true;
  const isTerminal = !standardsApply && stdin.isTTY === true && stderr.isTTY === true;
  const questions = isTerminal ? openQuestions(context) : undefined;
  if (questions !== undefined)
    printLines(stderr, [`This writes ${out}. Enter takes the answer in [brackets]; Ctrl+C writes nothing.`, '']);
  const resolveHost = async (host: string): Promise<readonly string[]> =>
    (await resolveBySystem(host)).map(({ address }) => address);
  try {
    return await collectAnswers({
      flags,
      place: { workingDirectory, environment, resolveHost },
      ask: questions?.ask,
      report: (line) => printLines(isTerminal ? stderr : remarks, [`  ${line}`]),
      standardsApply,
    });
  } catch (error) {
    if (error instanceof QuestionsCancelled) return undefined;
    throw error;
  } finally {
    await questions?.close();
  }
}

function filesOf({ networkAddresses }: Context, answers: Answers, out: string): readonly NewFile[] {
  const { systemd, proxyFile, proxy } = answers;
  const directory = dirname(out);
  const filling: Filling = {
    answers,
    config: installedConfig,
    program: programCommand(),
    networkAddress: networkAddresses()[0],
  };
  return [
    {
      path: out,
      text: configText(answers, {
        directory,
        absolute: systemd !== undefined,
        schema: schemaOf(directory, process.argv[1]),
      }),
    },
    ...(systemd === undefined
      ? []
      : [
          ...unitFiles.map((name) => ({ path: join(systemd, name), text: fillUnit(readDeployFile(name), filling) })),
          { path: join(directory, operatorFile), text: fillOperator(readDeployFile(operatorFile), filling) },
        ]),
    ...(proxyFile === undefined || proxy === 'none'
      ? []
      : [{ path: proxyFile, text: fillProxyFile(readDeployFile(proxyTemplates[proxy]), filling) }]),
  ];
}
