// `libretto doctor`: checks all parts of a registry, on this host and from outside, and prints advice. The command
// changes nothing. Exit code 1: a check failed. A risk that may become a failure is a warning.

import { existsSync } from 'node:fs';
import { formatOrigin, type Config } from '../../config/config.ts';
import { configOf, nameDataFolder } from '../../data-folder/open-data-folder.ts';
import type { Paint } from '../../io/color.ts';
import type { Context } from '../../io/context.ts';
import type { CommandInput } from '../../io/command.ts';
import { composeKeys } from '../../compose/keys.ts';
import { checkCertificate } from '../../doctor/certificate.ts';
import { checkFolder, checkModes, checkSpace, type DataFolder } from '../../doctor/data-folder.ts';
import { failed, ok, settled, skipped, type Finding, warning } from '../../doctor/finding.ts';
import { checkLastBuild, checkSite, checkUploads } from '../../doctor/build-results.ts';
import { checkOutput } from '../../doctor/output.ts';
import { checkOrigin } from '../../doctor/origin.ts';
import { checkOutside } from '../../doctor/outside.ts';
import { checkRedis } from '../../doctor/redis.ts';
import { checkProcesses, checkState, checkTree } from '../../doctor/registry.ts';
import { checkComposer, checkGit, checkNode } from '../../doctor/tools.ts';
import { features } from '../../features/feature-list.ts';
import type { TextStream } from '../../io/answer-stream.ts';
import { counted, printJson, printLines } from '../../io/output.ts';
import { crossesNetwork } from '../../remote/plain-http.ts';
import { registryAddress } from '../../remote/registry-address.ts';
import { UsageError } from '../../io/usage-error.ts';
import { version } from '../../io/version.ts';
import { addressAdvice, addressConflicts, publicUrlOf } from '../../config/public-url.ts';

/** The form of archives is no finding for a registry that does not know its address. */
function checkAddresses(config: Config): readonly Finding[] {
  const conflicts = addressConflicts(config).map((conflict) => warning('addresses', conflict, addressAdvice(config)));
  const url = publicUrlOf(config)?.url;
  if (url === undefined) return conflicts;
  const form =
    config.distUrl.value.form === 'path'
      ? `Builds write paths as addresses of archives; with "distUrl": "${url}", the last line of Composer says why an archive is refused`
      : 'Builds write absolute addresses of archives: the last line of Composer says why an archive is refused';
  return [...conflicts, ok('archives', form)];
}

export function run(context: Context, { flags }: CommandInput): Promise<number> {
  // the server that asked has ended
  if (flags['child'] === true) context.onInputEnd(() => process.kill(process.pid, 'SIGTERM'));
  return diagnose(context, flags, false);
}

/** Prints all findings to `shown`. `isNew`: no build has made the data folder yet. Resolves with the exit code. */
export async function diagnose(
  context: Context,
  flags: CommandInput['flags'],
  isNew: boolean,
  shown: TextStream = context.stdout,
): Promise<number> {
  const { environment, stdout, now } = context;
  const url = registryAddress(flags, environment);
  const token = [flags['token'], environment['LIBRETTO_TOKEN']].find(
    (given) => typeof given === 'string' && given !== '',
  ) as string | undefined;
  const findings: readonly Finding[] = [
    checkNode(process.versions.node),
    ...(await settled('git', 'Check the installation of git.', () => checkGit(environment))),
    ...(await settled('composer', 'Check the installation of Composer.', () => checkComposer(environment))),
    ...(await checkConfigured(context, flags, isNew ? 'new' : url === undefined ? 'here' : 'elsewhere')),
    ...(url === undefined
      ? []
      : await settled('url', 'The connection broke. Check the reverse proxy in front of the registry.', () =>
          checkOutside({ url, token, isOpen: crossesNetwork(url), now }),
        )),
  ];
  const healthy = findings.every(({ verdict }) => verdict !== 'failed');
  if (flags['json'] === true) printJson(stdout, { ok: healthy, version, checks: findings });
  else printLines(shown, describe(findings), paintOf);
  return healthy ? 0 : 1;
}

/** Checks the configuration, and the registry on this host. */
async function checkConfigured(
  context: Context,
  flags: CommandInput['flags'],
  registry: RegistryPlace,
): Promise<readonly Finding[]> {
  const config = await configOf(context, flags).catch((error: unknown) =>
    error instanceof UsageError ? error : Promise.reject(error),
  );
  if (config instanceof UsageError) {
    const advice =
      'docs/reference/configuration.md lists every setting. Checks that need the configuration were skipped.';
    return [failed('configuration', config.message, advice)];
  }
  if (registry === 'here' || existsSync(config.data.value)) nameDataFolder(context, flags, config);
  const message =
    config.file === undefined ? 'No libretto.json; flags, variables and defaults apply' : `${config.file} can be used`;
  return [ok('configuration', message), ...checkAddresses(config), ...(await checkLocally(config, context, registry))];
}

/** `elsewhere`: on another host, so this host needs no data folder; `new`: the first build makes the folder. */
type RegistryPlace = 'here' | 'elsewhere' | 'new';

async function checkLocally(config: Config, context: Context, registry: RegistryPlace): Promise<readonly Finding[]> {
  const { now } = context;
  const folder = { path: config.data.value, origin: formatOrigin(config.data.origin) };
  const data = await checkData(folder, registry, config);
  const verdict = data[0]?.verdict;
  const hasFolder = verdict === 'ok' || verdict === 'warning';
  const apart = [
    ...(await checkRedis(config, now)),
    ...(await settled('certificate', 'Check the certificate and its key.', () =>
      checkCertificate(config, now(), hasFolder),
    )),
    ...(await settled('origin', 'Check whether this host can reach the origin.', () => checkOrigin(config, context))),
    ...(await settled('output', 'Check the address, the credentials and the rights at the object store.', () =>
      checkOutput(config, context),
    )),
  ];
  if (!hasFolder) {
    const hasState = verdict === 'skipped' && registry === 'here' && config.state.value !== undefined;
    return [...apart, ...data, ...(hasState ? await checkStateAndFeatures(config, context, false) : [])];
  }
  const isForeign = verdict === 'warning';
  return [
    ...apart,
    ...data,
    ...(await settled('disk', 'Check the disk.', () => checkSpace(folder))),
    ...(await settled('keys', 'Replace it with the folder keys of a backup.', () => checkKeys(config, context))),
    ...(await checkStateAndFeatures(config, context, isForeign)),
    ...(await checkPublished(config, now())),
    ...(await settled('build', 'Remove build/last-build.json.', () => checkLastBuild(config.data.value))),
    ...(await settled('site', 'Name another folder in the setting `site`.', async () => checkSite(config))),
    ...(await settled('lock', 'Check the permissions of the folders build and state.', () =>
      checkProcesses(config, now()),
    )),
  ];
}

async function checkData(folder: DataFolder, registry: RegistryPlace, config: Config): Promise<readonly Finding[]> {
  const reason = reasonForNone(registry, config);
  if (reason === undefined || existsSync(folder.path))
    return settled('data', 'Name another folder with --data.', () => checkFolder(folder, process.getuid?.()));
  return [skipped('data', `There is no data folder ${folder.path}; ${reason}.`)];
}

/** Why this host needs no data folder yet; undefined: it needs one. */
function reasonForNone(registry: RegistryPlace, { origin, output, state }: Config): string | undefined {
  if (registry === 'elsewhere') return 'only --url was checked';
  if (origin.value !== undefined && state.value !== undefined)
    return 'packages are at the origin, and the state is in a Redis';
  return registry === 'new' || output.value !== undefined ? 'the first build makes it' : undefined;
}

/** A damaged tree ends the check of uploads, which reads the serving indexes. */
async function checkPublished(config: Config, now: Date): Promise<readonly Finding[]> {
  const { value: path } = config.data;
  if (config.origin.value !== undefined)
    return [skipped('tree', 'The served tree is at the origin, not in the data folder.')];
  const tree = await settled(
    'tree',
    'Run `libretto build` to restore versions from their sources. Restore the rest from a backup.',
    () => checkTree(config, now.getTime()),
  );
  if (tree.some(({ verdict }) => verdict === 'failed')) return tree;
  return [
    ...tree,
    ...(await settled('uploads', 'Check the permissions of the folder artifacts.', () => checkUploads(path))),
  ];
}

/** Features need the state, so a state that cannot be read ends their checks. */
async function checkStateAndFeatures(
  config: Config,
  context: Context,
  isForeign: boolean,
): Promise<readonly Finding[]> {
  // If root opened the state of another user, it would create files that this user could not write.
  if (isForeign) return [skipped('state', 'The state was not opened, since root would leave files in it.')];
  const state = await settled('state', 'Repair the state, or restore a backup: docs/how-to/damaged-state.md.', () =>
    checkState(config),
  );
  if (state.some(({ verdict }) => verdict === 'failed' || verdict === 'skipped')) return state;
  const policy = await settled('policy', 'Look at the policy: `libretto policy check`.', async () =>
    (await import('../../doctor/policy.ts')).check(config, context),
  );
  return [...state, ...policy, ...(await checkFeatures(config, context))];
}

async function checkFeatures(config: Config, context: Context): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, advice, load } of features.flatMap(({ checks = [] }) => checks))
    findings.push(...(await settled(name, advice, async () => (await load()).check(config, context))));
  return findings;
}

/** Reports a damaged key, because a damaged key prevents every login. */
async function checkKeys(config: Config, context: Context): Promise<Finding> {
  const modes = await checkModes({ path: config.data.value, origin: formatOrigin(config.data.origin) });
  if (modes.verdict !== 'failed') composeKeys(config, context).keys.list();
  return modes;
}

const marks: Readonly<Record<Finding['verdict'], string>> = {
  ok: 'ok',
  warning: 'WARNING',
  failed: 'FAILED',
  skipped: '-',
};

const paints: Readonly<Record<string, Paint>> = { 'ok ': 'green', WAR: 'yellow', FAI: 'red' };
const paintOf = (line: string): Paint | undefined => paints[line.slice(0, 3)];

function describe(findings: readonly Finding[]): string[] {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, verdict, message, advice }) => [
    `${marks[verdict].padEnd(8)} ${check.padEnd(width)}  ${message.replaceAll('\n', ' ')}`,
    ...(advice === null ? [] : [`${' '.repeat(9 + width)}  → ${advice}`]),
  ]);
  const many = (verdict: Finding['verdict']): number =>
    findings.filter((finding) => finding.verdict === verdict).length;
  const end =
    many('failed') + many('warning') === 0
      ? 'No problem was found.'
      : `${many('failed')} failed, ${counted(many('warning'), 'warning')}.`;
  return [...lines, '', end];
}
