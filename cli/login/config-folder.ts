// The folders in which programs of a person keep their configuration on this system: Libretto's own, and Composer's.

import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

import { isThere } from '../../build/shared/files/atomic-file.ts';
import type { Environment } from '../io/environment.ts';

/** `system`: `process.platform`. */
export function configFolder(environment: Environment, system: string = process.platform): string {
  return join(baseFolder(environment, system), 'libretto');
}

/** The folder of Composer's auth.json, as Composer itself finds it (Composer\Factory::getHomeDir). */
export function composerHome(
  environment: Environment,
  workingDirectory: string,
  system: string = process.platform,
): string {
  const { COMPOSER_HOME: given = '' } = environment;
  if (given !== '') return resolve(workingDirectory, given);
  if (system === 'win32') return join(baseFolder(environment, system), 'Composer');
  const old = join(homeFolder(environment), '.composer');
  const usesXdg = Object.keys(environment).some((name) => name.startsWith('XDG_')) || isThere('/etc/xdg');
  if (!usesXdg) return old;
  const modern = join(baseFolder(environment, system), 'composer');
  return !isThere(modern) && isThere(old) ? old : modern;
}

function baseFolder(environment: Environment, system: string): string {
  const { APPDATA: roaming = '', XDG_CONFIG_HOME: base = '' } = environment;
  if (system === 'win32' && roaming !== '') return roaming;
  // a relative path is invalid (XDG Base Directory Specification)
  return isAbsolute(base) ? base : join(homeFolder(environment), '.config');
}

function homeFolder({ HOME: home = '' }: Environment): string {
  return home === '' ? homedir() : home;
}
