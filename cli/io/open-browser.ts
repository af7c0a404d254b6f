// Opens a page in the browser of the person, where this machine has a desktop.

import { execa } from 'execa';

import type { Environment } from './environment.ts';

/** False if this machine has no desktop, or no program for it. `url`: begins with http. */
export async function openBrowser(url: string, environment: Environment): Promise<boolean> {
  const command = commandFor(process.platform, environment);
  if (command === undefined) return false;
  const [program, ...words] = command;
  const { failed } = await execa(program, [...words, url], {
    env: environment,
    extendEnv: false,
    reject: false,
    stdio: 'ignore',
    timeout: 10_000,
  });
  return !failed;
}

/** A browser of a remote session would open on another screen. */
function commandFor(
  system: string,
  { SSH_CONNECTION: remote = '', DISPLAY: x11 = '', WAYLAND_DISPLAY: wayland = '' }: Environment,
): readonly [string, ...string[]] | undefined {
  if (remote !== '') return undefined;
  if (system === 'darwin') return ['open'];
  if (system === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return x11 === '' && wayland === '' ? undefined : ['xdg-open'];
}
