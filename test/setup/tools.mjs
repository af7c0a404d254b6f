// Finds the external programs that tests run, and installs missing ones from Debian. Run alone (`node
// test/setup/tools.mjs`) it installs missing programs where that is allowed, and lists the rest. test/run.mjs uses its
// functions.

import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { env, getuid, platform } from 'node:process';

/** program → the Debian packages that contain it, with further packages that it needs */
export const tools = {
  composer: ['composer', 'php-curl', 'php-zip', 'php-mbstring'],
  php: ['php-cli'],
  'redis-server': ['redis-server'],
  git: ['git'],
  'ssh-keygen': ['openssh-client'],
  gpg: ['gpg', 'gpg-agent'],
  nginx: ['nginx'],
  unzip: ['unzip'],
  // Chromium without windows: a page takes half of the processor time
  'chromium-headless-shell': ['chromium-headless-shell'],
  curl: ['curl'],
  openssl: ['openssl'],
  python3: ['python3'],
  zsh: ['zsh'],
  fish: ['fish'],
  promtool: ['prometheus'],
  'systemd-analyze': ['systemd'],
  ip: ['iproute2'],
};

/** program → the one that does the same where it is missing */
const standIns = { 'chromium-headless-shell': 'chromium' };

const searched = [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/sbin'];

/** The absolute path of a program or of its stand-in, or undefined. */
export function findTool(name) {
  return locate(name) ?? (standIns[name] === undefined ? undefined : locate(standIns[name]));
}

/** Searches the sbin folders too, where Debian installs nginx. */
function locate(name) {
  for (const folder of searched) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch (error) {
      if (!['ENOENT', 'EACCES', 'ENOTDIR'].includes(error.code)) throw error;
    }
  }
  return undefined;
}

export const missingTools = () => Object.keys(tools).filter((name) => findTool(name) === undefined);

const mayInstall = () =>
  platform === 'linux' && getuid?.() === 0 && existsSync('/etc/debian_version') && findTool('apt-get') !== undefined;

/** Installs missing programs where that is allowed; returns the programs that are still missing, with reasons. */
export function provideTools(say) {
  const wanted = Object.keys(tools).filter((name) => locate(name) === undefined);
  if (wanted.length === 0) return { missing: [], reason: '' };
  if (!mayInstall())
    return { missing: missingTools(), reason: 'they can only be installed by root on Debian or its kin' };
  const packages = [...new Set(wanted.flatMap((name) => tools[name]))];
  say(`Installing from Debian: ${packages.join(' ')}`);
  // RUNLEVEL=1 keeps the packages from starting their own redis and nginx: tests start private ones
  const environment = { ...env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', LC_ALL: 'C.UTF-8' };
  const apt = (...args) =>
    execFileSync('apt-get', ['-qq', '-o', 'Dpkg::Use-Pty=0', ...args], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 600_000,
    });
  try {
    apt('update');
    apt('install', '-y', '--no-install-recommends', ...packages);
  } catch (error) {
    const output = `${error.stderr ?? ''}`.trim().split('\n').slice(-3).join(' ');
    return { missing: missingTools(), reason: `apt-get failed: ${output || error.message}` };
  }
  return { missing: missingTools(), reason: 'apt-get installed their packages, yet they are not found' };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { missing, reason } = provideTools(console.log);
  console.log(missing.length === 0 ? 'All tools are there.' : `Missing: ${missing.join(', ')} (${reason})`);
  process.exitCode = missing.length === 0 ? 0 : 1;
}
