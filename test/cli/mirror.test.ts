// Tests the compiled `libretto mirror` against a tree of Libretto that nginx serves, also when the command is killed.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { zipOf } from '../util/hostile-zip.ts';
import { startNginx, type Nginx } from '../util/nginx.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { allFiles, publishedRecords } from '../util/published-tree.ts';
import { binary, cleanEnvironment, runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { startUpstream, referenceFor, sha1Of } from '../util/upstream.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

interface Registry extends AsyncDisposable {
  readonly data: string;
  readonly cli: (...args: readonly string[]) => Promise<CliOutcome>;
  readonly lock: (
    ...packages: readonly { readonly name: string; readonly version: string; readonly reference?: string }[]
  ) => string;
  readonly path: string;
}

/** A registry with one private package, acme/app, that mirrors `url`. */
async function mirroring(url: string): Promise<Registry> {
  const folder = temporaryFolder('mirroring');
  const data = folder.at('data');
  const source = temporaryTree(below('acme/app', whoLibrary('acme/app', '1.0.0')), folder.path);
  writeFileSync(folder.at('libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.0/8'] } }));
  const cli: Registry['cli'] = (...args) => runCli([...args, '--data', data], { cwd: folder.path });
  for (const args of [
    ['build', source.root],
    ['settings', 'set', 'mirroring.enabled', 'true'],
    ['settings', 'set', 'mirroring.url', url],
  ]) {
    const { exitCode, stderr } = await cli(...args);
    if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  }
  const lock: Registry['lock'] = (...packages) => {
    const path = folder.at(`${packages.length}.lock`);
    writeFileSync(
      path,
      JSON.stringify({
        packages: packages.map(({ name, version, reference }) => ({
          name,
          version,
          dist: { type: 'zip', url: 'https://elsewhere.example/x.zip', reference: reference ?? '' },
        })),
        'packages-dev': [],
      }),
    );
    return path;
  };
  return { data, cli, lock, path: folder.path, [Symbol.asyncDispose]: () => folder.remove() };
}

/** A ZIP of some 300 KB. */
const archiveOf = (name: string): Buffer =>
  zipOf([
    {
      name: `${name.replace('/', '-')}/src/A.php`,
      data: Buffer.alloc(300_000, createHash('sha512').update(name).digest()),
      stored: true,
    },
  ]);

/** Every ZIP has the content of its name, and every record names one. */
function assertWhole(data: string): number {
  const dist = `${data}/mirror/dist`;
  const files = existsSync(dist) ? allFiles(dist) : [];
  for (const path of files) {
    if (path.endsWith('.zip'))
      expect(
        createHash('sha1')
          .update(readFileSync(`${dist}/${path}`))
          .digest('hex'),
      ).toBe(/([0-9a-f]{40})\.zip$/.exec(path)?.[1]);
    else if (path.endsWith('.json')) {
      const { name, shasum, size } = JSON.parse(readFileSync(`${dist}/${path}`, 'utf8')) as {
        name: string;
        shasum: string;
        size: number;
      };
      expect(readFileSync(`${dist}/${name}/${shasum}.zip`).length).toBe(size);
    }
  }
  return files.filter((path) => path.endsWith('.json')).length;
}

describe.skipIf(lacks('nginx'))('libretto mirror from a tree that nginx serves', () => {
  const folder = temporaryFolder('upstream');
  const upstreamData = folder.at('data');
  let nginx: Nginx;
  beforeAll(async () => {
    const source = temporaryTree(
      {
        ...below('some/lib/1.0.0', whoLibrary('some/lib', '1.0.0')),
        ...below('some/lib/1.1.0', whoLibrary('some/lib', '1.1.0')),
        ...below('some/moving', whoLibrary('some/moving', undefined)),
        ...below('acme/app', whoLibrary('acme/app', '99.0.0')),
      },
      folder.path,
    );
    nginx = await startNginx(`root ${upstreamData}/public; default_type application/json;`);
    // a private name of this registry is public there, with archive addresses as paths or absolute
    const { exitCode, stderr } = await runCli(['build', source.root, '--data', upstreamData], {
      cwd: folder.path,
      environment: { LIBRETTO_METADATA_URL: '/p2/%package%.json' },
    });
    if (exitCode !== 0) throw new Error(stderr);
  });
  afterAll(async () => {
    await nginx.stop();
    await folder.remove();
  });

  it.each(['path', 'absolute'])('fetches the versions of lock files, with archive addresses as %s', async (form) => {
    if (form === 'absolute') {
      const { exitCode, stderr } = await runCli(['build', '--data', upstreamData], {
        cwd: folder.path,
        environment: { LIBRETTO_METADATA_URL: '/p2/%package%.json', LIBRETTO_DIST_URL: nginx.url },
      });
      expect(exitCode, stderr).toBe(0);
    }
    await using registry = await mirroring(nginx.url);
    const moving = publishedRecords(upstreamData).find(({ name }) => name === 'some/moving');
    const lock = registry.lock(
      { name: 'some/lib', version: '1.0.0' },
      { name: 'Some/Lib', version: '1.1.0' },
      { name: 'some/moving', version: moving?.version ?? '', reference: moving?.dist.reference ?? '' },
      { name: 'acme/app', version: '99.0.0' },
    );
    const warm = await registry.cli('mirror', 'warm', lock);
    expect(warm.stderr).toBe('');
    expect([warm.exitCode, warm.stdout.trim()]).toEqual([0, '4 packages: 3 fetched, 0 here already, 1 not mirrored.']);
    const again = await registry.cli('mirror', 'warm', lock, '--json');
    expect(
      (JSON.parse(again.stdout) as { packages: { outcome: string }[] }).packages.map(({ outcome }) => outcome),
    ).toEqual(['here', 'here', 'here', 'not-mirrored']);
    const listed = JSON.parse((await registry.cli('mirror', 'list', '--json')).stdout) as {
      archives: { name: string; version: string; shasum: string }[];
    };
    const published = publishedRecords(upstreamData).filter(({ name }) => name !== 'acme/app');
    const digests = published.map(
      ({ name, version, dist }) => `${name} ${version} ${dist.shasum ?? 'of a dev version'}`,
    );
    const isDev = (version: string): boolean => version.startsWith('dev-');
    expect(
      listed.archives
        .map(({ name, version, shasum }) => `${name} ${version} ${isDev(version) ? 'of a dev version' : shasum}`)
        .sort(),
    ).toEqual(digests.sort());
    expect(await registry.cli('mirror', 'verify')).toMatchObject({
      exitCode: 0,
      stdout: 'Checked 3 archives: all as accepted.',
    });
  });

  it('reports unavailable and damaged packages', async () => {
    await using registry = await mirroring(nginx.url);
    const warm = await registry.cli(
      'mirror',
      'warm',
      '--verbose',
      registry.lock({ name: 'some/lib', version: '1.0.0' }, { name: 'some/lib', version: '3.0.0' }),
    );
    expect([warm.exitCode, warm.stderr]).toEqual([
      1,
      expect.stringContaining('some/lib 3.0.0: its upstream has no such version'),
    ]);
    expect(warm.stderr).toMatch(/^some\/lib 1\.0\.0: fetched$/m);
    const [file = ''] = allFiles(`${registry.data}/mirror/dist`).filter((path) => path.endsWith('.zip'));
    writeFileSync(`${registry.data}/mirror/dist/${file}`, 'damaged');
    const verified = await registry.cli('mirror', 'verify');
    expect([verified.exitCode, verified.stderr]).toEqual([
      1,
      expect.stringMatching(/some\/lib 1\.0\.0: the archive has SHA-1 .*, accepted was/),
    ]);
    expect(
      (await registry.cli('mirror', 'warm', registry.lock({ name: 'some/lib', version: '1.0.0' }))).stdout,
    ).toContain('1 fetched');
    expect(await registry.cli('mirror', 'verify')).toMatchObject({ exitCode: 0 });
    expect((await registry.cli('mirror', 'prune')).stdout).toBe('There is nothing to remove.');
    expect((await registry.cli('mirror', 'prune', '--keep-for', '0', '--dry-run')).stdout).toMatch(
      /^Would remove 2 files/,
    );
    expect((await registry.cli('mirror', 'prune', '--keep-for', '0')).stdout).toMatch(/^Removed 2 files/);
    expect(await registry.cli('mirror', 'verify')).toMatchObject({
      exitCode: 0,
      stdout: 'Checked 1 archive: all as accepted.',
    });
  });

  it('reports a damaged record, and all other records', async () => {
    await using registry = await mirroring(nginx.url);
    await registry.cli(
      'mirror',
      'warm',
      registry.lock({ name: 'some/lib', version: '1.0.0' }, { name: 'some/lib', version: '1.1.0' }),
    );
    const folder = `${registry.data}/mirror/dist/some/lib`;
    const path =
      allFiles(folder)
        .map((file) => `${folder}/${file}`)
        .find(
          (file) =>
            file.endsWith('.json') &&
            (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version === '1.0.0',
        ) ?? '';
    writeFileSync(path, '{');
    const damaged = expect.stringContaining(`${path} is damaged: `) as string;
    expect(await registry.cli('mirror', 'verify')).toMatchObject({
      exitCode: 1,
      stdout: 'Checked 1 archive: 1 fault.',
      stderr: damaged,
    });
    expect(JSON.parse((await registry.cli('mirror', 'verify', '--json')).stdout)).toMatchObject({
      ok: false,
      archives: 1,
      faults: [],
      unreadable: [{ path, message: damaged }],
    });
    const listed = await registry.cli('mirror', 'list', '--json');
    expect([listed.exitCode, listed.stderr, JSON.parse(listed.stdout)]).toMatchObject([
      0,
      damaged,
      { archives: [{ name: 'some/lib', version: '1.1.0' }], unreadable: [{ path }] },
    ]);
    const why = await registry.cli('why', 'some/lib');
    expect([why.exitCode, why.stdout]).toEqual([0, damaged]);
    expect(why.stdout).toContain('1.1.0');
    for (const zip of allFiles(folder).filter((file) => file.endsWith('.zip'))) utimesSync(`${folder}/${zip}`, 1, 1);
    expect((await registry.cli('mirror', 'prune')).stdout).toBe('There is nothing to remove.');
    expect(allFiles(folder).filter((file) => file.endsWith('.zip'))).toHaveLength(2);
  });

  it('reports a registry that mirrors nothing', async () => {
    await using registry = await mirroring(nginx.url);
    await registry.cli('settings', 'set', 'mirroring.enabled', 'false');
    expect(await registry.cli('mirror', 'warm', registry.lock({ name: 'some/lib', version: '1.0.0' }))).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('mirroring.enabled') as string,
    });
  });
});

itInSeries('a killed libretto mirror leaves no bad file, and the next fetch is complete', async () => {
  await using upstream = await startUpstream();
  const packages = Array.from({ length: 12 }, (_, index) => ({
    name: `some/lib${index}`,
    version: '1.0.0',
    reference: referenceFor(`some/lib${index} 1.0.0`),
  }));
  for (const { name, version } of packages) upstream.put(name, [{ version, zip: archiveOf(name), shasum: '' }]);
  for (const { name, version, reference } of packages) {
    const zip = archiveOf(name);
    upstream.instead(`/files/${name}/${version}/${reference}.zip`, (_request, response) => {
      response.writeHead(200, { 'content-length': String(zip.length) });
      response.write(zip.subarray(0, 200_000));
      setTimeout(() => response.end(zip.subarray(200_000)), 15);
    });
  }
  await using registry = await mirroring(upstream.url);
  const lock = registry.lock(...packages);
  for (let turn = 0; turn < 8; turn += 1) {
    const child = spawn(process.execPath, [binary, 'mirror', 'warm', lock, '--data', registry.data], {
      cwd: registry.path,
      env: cleanEnvironment(),
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    const from = upstream.server.requests.length;
    for (let wait = 0; upstream.server.requests.length === from && child.exitCode === null && wait < 500; wait += 1)
      await sleep(5);
    await sleep(5 + turn * 12);
    child.kill('SIGKILL');
    await ended;
    assertWhole(registry.data);
  }
  const { exitCode, stdout, stderr } = await registry.cli('mirror', 'warm', lock);
  expect(exitCode, stdout + stderr).toBe(0);
  expect(assertWhole(registry.data)).toBe(packages.length);
  expect(sha1Of(archiveOf('some/lib0'))).toBe(
    (JSON.parse((await registry.cli('mirror', 'list', '--json')).stdout) as { archives: { shasum: string }[] })
      .archives[0]?.shasum,
  );
});
