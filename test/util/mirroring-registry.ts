// A registry on disk for the compiled commands: private packages of its own, and a mirrored repository on loopback.

import { writeFileSync } from 'node:fs';
import { zipOf } from './hostile-zip.ts';
import { below, temporaryTree } from './package-tree.ts';
import { runCli, type CliOutcome } from './run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts';
import { referenceFor } from './upstream.ts';
import { whoLibrary } from './who-library.ts';

export interface MirroringRegistry extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly cli: (...args: readonly string[]) => Promise<CliOutcome>;
  /** Runs a command that must succeed, with --json. */
  readonly json: (...args: readonly string[]) => Promise<Record<string, unknown>>;
  /** Fetches versions in advance; their references are those of the test upstream. */
  readonly warm: (...packages: readonly (readonly [name: string, version: string])[]) => Promise<CliOutcome>;
  /** The path of sources with these packages, in version 1.0.0 each. */
  readonly sources: (...names: readonly string[]) => string;
}

/** A registry with acme/app 1.0.0 published, in the folder `data`. */
export async function mirroringRegistry(url: string): Promise<MirroringRegistry> {
  const folder = temporaryFolder('mirroring');
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.0/8'] } }));
  const cli: MirroringRegistry['cli'] = (...args) =>
    runCli(args, { cwd: folder.path, environment: { LIBRETTO_DATA: folder.at('data') } });
  const json: MirroringRegistry['json'] = async (...args) => {
    const { exitCode, stdout, stderr } = await cli(...args, '--json');
    if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const sources: MirroringRegistry['sources'] = (...names) =>
    temporaryTree(
      Object.assign({}, ...names.map((name) => below(name, whoLibrary(name, '1.0.0')))) as Record<string, string>,
      folder.path,
    ).root;
  await json('build', sources('acme/app'));
  for (const [key, value] of [
    ['mirroring.enabled', 'true'],
    ['mirroring.url', url],
  ] as const)
    await json('settings', 'set', key, value);
  const warm: MirroringRegistry['warm'] = (...packages) => {
    const lock = {
      packages: packages.map(([name, version]) => ({
        name,
        version,
        dist: { type: 'zip', url: 'https://elsewhere.example/x.zip', reference: referenceFor(`${name} ${version}`) },
      })),
      'packages-dev': [],
    };
    writeFileSync(folder.at('composer.lock'), JSON.stringify(lock));
    return cli('mirror', 'warm', folder.at('composer.lock'));
  };
  return { folder, cli, json, warm, sources, [Symbol.asyncDispose]: () => folder.remove() };
}

/** A small valid ZIP, different for each seed. */
export const archiveFor = (seed: string): Buffer =>
  zipOf([{ name: 'lib/src/A.php', data: Buffer.from(`<?php // ${seed}\n`), stored: true }]);
