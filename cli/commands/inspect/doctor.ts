// `libretto doctor`: looks at everything a registry stands on, here and from outside, changes nothing, and says what to
// do. Exit code 1 where something failed; what only may become a trouble is a warning.

import { existsSync } from 'node:fs';

import { loadConfig, formatOrigin, type Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import type { Given } from '../../io/command.ts';
import { composeKeys } from '../../compose/keys.ts';
import { checkCertificate } from '../../doctor/certificate.ts';
import { checkFolder, checkModes, checkSpace } from '../../doctor/data-folder.ts';
import { failed, ok, settled, skipped, type Finding } from '../../doctor/finding.ts';
import { checkOrigin } from '../../doctor/origin.ts';
import { checkOutside } from '../../doctor/outside.ts';
import { checkRedis } from '../../doctor/redis.ts';
import { checkProcesses, checkState, checkTree } from '../../doctor/registry.ts';
import { checkComposer, checkGit, checkNode } from '../../doctor/tools.ts';
import { features } from '../../features/feature-list.ts';
import { counted, printJson, printLines } from '../../io/output.ts';
import { registryUrl } from '../../remote/remote.ts';
import { UsageError } from '../../io/usage-error.ts';
import { version } from '../../io/version.ts';

export async function run(context: Context, { flags }: Given): Promise<number> {
  const { environment, workingDirectory, stdout } = context;
  const url = typeof flags['url'] === 'string' ? registryUrl(flags['url']) : undefined;
  const token = [flags['token'], environment['LIBRETTO_TOKEN']].find(
    (given) => typeof given === 'string' && given !== '',
  ) as string | undefined;
  const findings: Finding[] = [checkNode(process.versions.node)];
  findings.push(
    ...(await settled('git', 'Look at how git is installed.', () => checkGit(environment))),
    ...(await settled('composer', 'Look at how Composer is installed.', () => checkComposer(environment))),
  );
  const config = await loadConfig({ flags, environment, workingDirectory }).catch((error: unknown) =>
    error instanceof UsageError ? error : Promise.reject(error),
  );
  if (config instanceof UsageError)
    findings.push(
      failed(
        'configuration',
        config.message,
        'docs/reference/configuration.md lists every setting. Checks that need the configuration were skipped.',
      ),
    );
  else
    findings.push(
      ok(
        'configuration',
        config.file === undefined
          ? 'No libretto.json; flags, variables and defaults apply'
          : `${config.file} can be used`,
      ),
      ...(await checkHere(config, context, url !== undefined)),
    );
  if (url !== undefined)
    findings.push(
      ...(await settled('url', 'Look at what stands before the registry: it broke off.', () =>
        checkOutside({ url, token, now: context.now }),
      )),
    );
  const healthy = findings.every(({ verdict }) => verdict !== 'failed');
  if (flags['json'] === true) printJson(stdout, { ok: healthy, version, checks: findings });
  else printLines(stdout, describe(findings));
  return healthy ? 0 : 1;
}

/** What lies on this host. Whoever asks about a registry elsewhere need not have one here. */
async function checkHere(config: Config, context: Context, elsewhere: boolean): Promise<readonly Finding[]> {
  const { now } = context;
  const apart = [
    ...(await checkRedis(config, now)),
    ...(await settled('certificate', 'Look at the certificate and its key.', () => checkCertificate(config, now()))),
    ...(await settled('origin', 'Look whether the origin can be reached from here.', () => checkOrigin(config))),
  ];
  const folder = { path: config.data.value, origin: formatOrigin(config.data.origin) };
  if (elsewhere && !existsSync(folder.path))
    return [...apart, skipped('data', `There is no data folder ${folder.path}; only --url was checked.`)];
  const data = await settled('data', 'Name another folder with --data.', () => checkFolder(folder, process.getuid?.()));
  if (data[0]?.verdict === 'failed') return [...apart, ...data];
  // as root, opening the state of another user would leave files there which that one may not write
  const state =
    data[0]?.verdict === 'warning'
      ? [skipped('state', 'The state was not opened, since root would leave files in it.')]
      : await settled('state', 'Restore a backup where it cannot be mended: docs/how-to/damaged-state.md.', () =>
          checkState(config),
        );
  return [
    ...apart,
    ...data,
    ...(await settled('disk', 'Look at the disk.', () => checkSpace(folder))),
    ...(await settled('keys', 'Put the folder keys of a backup in its place.', () => checkKeys(config, context))),
    ...state,
    ...(state.some(({ verdict }) => verdict === 'failed' || verdict === 'skipped')
      ? []
      : await checkFeatures(config, context)),
    ...(await settled(
      'tree',
      'Run `libretto build` to restore versions from their sources. Restore the rest from a backup.',
      async () =>
        config.origin.value === undefined
          ? checkTree(folder.path, now().getTime())
          : skipped('tree', 'The served tree is at the origin, not in the data folder.'),
    )),
    ...(await settled('lock', 'Look at the rights of the folders build and state.', () =>
      checkProcesses(folder.path, now()),
    )),
  ];
}

async function checkFeatures(config: Config, context: Context): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { check } of features)
    if (check !== undefined)
      findings.push(
        ...(await settled(check.name, check.advice, async () => (await check.load()).check(config, context))),
      );
  return findings;
}

/** A key that is damaged is told; it would let nobody log in. */
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
      ? 'Nothing is wrong.'
      : `${many('failed')} failed, ${counted(many('warning'), 'warning')}.`;
  return [...lines, '', end];
}
