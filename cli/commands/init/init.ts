// `libretto init`: asks for the facts of a new registry, and writes libretto.json, and on wish the systemd units and
// the configuration of the reverse proxy. Nothing is written before the last answer, and no existing file is replaced.

import { dirname, join, resolve } from 'node:path';
import { resolveBySystem } from '../../../build/egress/guarded-agent.ts';
import type { Answers } from '../../init/answers.ts';
import { collectAnswers } from '../../init/collect-answers.ts';
import { configText } from '../../init/config-text.ts';
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
import { quoteForShell } from '../../../build/shared/text/quote-for-shell.ts';

// Fills the deployment files of docs/deploy/ with the answers. The files name packages.example.org, 127.0.0.1:8080,
// /etc/libretto and /var/lib/libretto; their filled form differs in these places alone. Pure.

export interface Filling {
  readonly answers: Answers;
  /** absolute: libretto.json in its final place */
  readonly config: string;
  /** the words of the command that starts this program, absolute: `/usr/bin/node`, `/opt/libretto/lib/cli/main.js` */
  readonly program: readonly string[];
  /** an address of this machine for a proxy on another one */
  readonly networkAddress: string | undefined;
}

const [exampleHost, exampleListen] = ['packages.example.org', '127.0.0.1:8080'];
const [exampleFolder, exampleData] = ['/etc/libretto', '/var/lib/libretto'];

/** The systemd units, by the names of their files. */
export const unitFiles = ['libretto.service', 'libretto-build.service', 'libretto-build.timer'] as const;

export const proxyTemplates = { nginx: 'nginx.conf', caddy: 'Caddyfile', haproxy: 'haproxy.cfg' } as const;

/** The script that starts the program as the units do, for operators. */
const operatorFile = 'libretto-operator';

function fillOperator(template: string, { config, program }: Filling): string {
  return template
    .replace(/^program=.*$/m, () => `program=${quoteForShell(program.at(-1) ?? '')}`)
    .replace(/^configuration=.*$/m, () => `configuration=${quoteForShell(config)}`);
}

export function fillUnit(template: string, { answers: { data, listen }, config, program }: Filling): string {
  const folder = config.slice(0, config.lastIndexOf('/')) || '/';
  const filled = template
    .replaceAll(
      /^ExecStart=.*\s(serve|build)$/gm,
      (_, command: string) => `ExecStart=${quoteCommand(program)} ${command}`,
    )
    .replaceAll(`${exampleFolder}/libretto.json`, config)
    .replaceAll(new RegExp(`^WorkingDirectory=${exampleFolder}$`, 'gm'), `WorkingDirectory=${folder}`);
  return withPort(withData(filled, data), listen);
}

/** systemd makes folders below /var/lib by their names; another folder has to exist. */
function withData(template: string, data: string): string {
  if (data === exampleData) return template;
  const unit = template.replaceAll(`# ${exampleData}: `, () => `# ${data}: `);
  const below = /^\/var\/lib\/([\w.-][\w./-]*)$/.exec(data)?.[1];
  if (below !== undefined) return unit.replaceAll(/^StateDirectory=.*$/gm, `StateDirectory=${below}`);
  return unit
    .replaceAll(/^StateDirectory=.*$/gm, () => `ReadWritePaths=${quoteForUnit(data)}`)
    .replaceAll(/^StateDirectoryMode=.*\n/gm, '');
}

/** A port below 1024 needs a right that the service's user does not have. */
function withPort(unit: string, listen: string): string {
  const port = Number(/(\d+)$/.exec(listen)?.[1]);
  if (port === 0 || port >= 1024 || !/^ExecStart=.*\sserve$/m.test(unit)) return unit;
  return unit
    .replaceAll(/^CapabilityBoundingSet=.*$/gm, 'CapabilityBoundingSet=CAP_NET_BIND_SERVICE')
    .replace(/^NoNewPrivileges=/m, 'AmbientCapabilities=CAP_NET_BIND_SERVICE\nNoNewPrivileges=');
}

export function fillProxyFile(template: string, { answers, networkAddress = '127.0.0.1' }: Filling): string {
  const { hostname, port } = new URL(answers.publicUrl ?? `https://${exampleHost}`);
  const upstream = answers.listen.replace(/^(?:0\.0\.0\.0|\[::\]):/, `${networkAddress}:`);
  const filled = template
    .replace(` Replace ${exampleHost} everywhere.`, '')
    .replaceAll(exampleHost, hostname)
    .replaceAll(exampleListen, upstream)
    // the example of HAProxy has two hosts
    .replaceAll(/^(\s*server one )\S+/gm, `$1${upstream}`)
    .replaceAll(/^\s*server two .*\n/gm, '');
  return port === '' ? filled : withClientPort(filled, hostname, port);
}

/** Clients use another port than 443. */
function withClientPort(file: string, hostname: string, port: string): string {
  return file
    .replaceAll(/^(\s*listen (?:\[::\]:)?)443\b/gm, `$1${port}`)
    .replaceAll(/^(\s*bind :)443\b/gm, `$1${port}`)
    .replaceAll('https://$host$request_uri', () => `https://$host:${port}$request_uri`)
    .replaceAll(`\n${hostname} {`, `\n${hostname}:${port} {`);
}

// Words in a systemd unit: systemd.syntax(7) for quotes and escapes, systemd.unit(5) for specifiers. Pure.

/** One word of a list, such as a path of `ReadWritePaths=`. In quotes only where the word needs them. */
function quoteForUnit(word: string): string {
  if (/^[\w./:@,+=-]+$/.test(word)) return word;
  return `"${word.replaceAll(/["\\]/g, (character) => `\\${character}`).replaceAll('%', '%%')}"`;
}

/** The words of `ExecStart=`. systemd replaces variables in arguments, not in the path of the program. */
function quoteCommand([program = '', ...rest]: readonly string[]): string {
  return [quoteForUnit(program), ...rest.map((word) => quoteForUnit(word).replaceAll('$', '$$$$'))].join(' ');
}

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
