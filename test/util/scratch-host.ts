// A host of its own for tests that install services: real systemd and real users on a copy of this machine's files
// (scratch-host.sh). The checkout is its folder /opt/clone. It needs root on Linux, and no container.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { temporaryFolder } from './temporary-folder.ts';
import { lacks, toolPath } from './tool.ts';

export interface ScratchHost extends AsyncDisposable {
  /** Runs lines in a shell of root that stops at the first failure. Never throws for an exit code. */
  readonly run: (lines: string, options?: RunOptions) => Promise<HostResult>;
}

export interface RunOptions {
  readonly cwd?: string;
  /** added to PATH, HOME and TERM */
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** default: `sh -e` */
  readonly shell?: readonly [program: string, ...args: string[]];
}

export interface HostResult {
  readonly exitCode: number;
  readonly stdout: string;
  /** stdout and stderr */
  readonly output: string;
}

const root = new URL('../../', import.meta.url).pathname;

const boot = new URL('scratch-host.sh', import.meta.url).pathname;
/** It ends with this process, also with one that is killed. */
const [endsWithParent, ends] = [
  ['--pdeathsig', 'KILL', 'unshare'],
  ['--fork', '--kill-child=SIGKILL'],
];
const namespaces = ['--mount', '--net', '--pid', '--uts', '--ipc'];

/** Whether this machine can run one: a test is skipped with `describe.skipIf(lacksScratchHost())`. */
export function lacksScratchHost(): boolean {
  return (
    process.platform !== 'linux' ||
    process.getuid?.() !== 0 ||
    lacks('systemctl', 'unshare', 'nsenter', 'ip', 'setpriv') ||
    // a container where root has few capabilities refuses namespaces
    spawnSync(toolPath('unshare'), [...namespaces, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status !== 0
  );
}

export async function startScratchHost(): Promise<ScratchHost> {
  const folder = temporaryFolder('host');
  const child = spawn(
    toolPath('setpriv'),
    [...endsWithParent, ...namespaces, ...ends, 'sh', boot, folder.path, root, process.execPath],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const stop = async (): Promise<void> => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGKILL');
    await ended;
    await removeCgroup(folder.path);
    await folder.remove();
  };
  const init = await firstChild(child.pid ?? 0);
  const run = inside(init);
  for (let attempt = 0; (await run('systemctl is-active basic.target')).exitCode !== 0; attempt += 1) {
    if (attempt > 1200 || child.exitCode !== null) {
      await stop();
      throw new Error(`The scratch host did not boot. ${complaints}`);
    }
    await sleep(50);
  }
  return { run, [Symbol.asyncDispose]: stop };
}

/** `init`: the process of its systemd, as this machine numbers it. */
function inside(init: number): ScratchHost['run'] {
  return async (lines, { cwd = '/root', environment = {}, input = '', shell = ['sh', '-e'] } = {}) => {
    const [program, ...args] = shell;
    const enter = ['--target', `${init}`, ...namespaces, '--cgroup', '--root', '--wd=/'];
    const { exitCode, stdout, all } = await execa(
      toolPath('nsenter'),
      [...enter, 'env', '-C', cwd, program, ...args, '-c', lines],
      {
        env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', ...environment },
        extendEnv: false,
        reject: false,
        all: true,
        input,
        timeout: 100_000,
      },
    );
    return { exitCode: exitCode ?? -1, stdout, output: all };
  };
}

/** `unshare --fork` has one child: the first process of the new namespace. */
async function firstChild(pid: number): Promise<number> {
  for (let attempt = 0; attempt < 6000; attempt += 1) {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    if (children !== '') return Number(children.split(' ')[0]);
    await sleep(10);
  }
  throw new Error('unshare started no process');
}

/** The killed systemd leaves its cgroups behind, which are empty as soon as all its processes have ended. */
async function removeCgroup(folder: string): Promise<void> {
  const lines = `
    mount -t cgroup2 cgroup2 "$0/cgroup"
    for attempt in $(seq 1200); do
      find "$0/cgroup/\${0##*/}" -depth -type d -exec rmdir {} + 2>/dev/null && exit 0
      sleep 0.05
    done
    exit 1`;
  await execa(toolPath('unshare'), ['--mount', 'sh', '-e', '-c', lines, folder]);
}
