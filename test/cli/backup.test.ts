// Tests a backup of a running registry, and the registry that is restored from it.

import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { takeLock, type Lock } from '../../build/output/lock.ts';
import { formatBackupRecord, readBackupRecord, type BackupFile } from '../../cli/backup/backup-record.ts';
import { auditEventKey, createAuditedStore, verifyAudit } from '../../proxy/state/audit.ts';
import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { below, writeTree } from '../util/package-tree.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries, playsSeries } from '../util/series.ts';

let folder: TemporaryFolder;
let servers: RunningCli[];
beforeEach(() => {
  folder = temporaryFolder('cli-backup');
  servers = [];
});
afterEach(async () => {
  for (const server of servers) {
    server.signal('SIGTERM');
    await server.ended;
  }
  await folder.remove();
});

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const json = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
  const { stdout, stderr } = await run(...args, '--json');
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
};
const addVersion = (version: string): void =>
  writeTree(folder.path, below(`packages/${version}`, whoLibrary('acme/hello', version)));
const createToken = async (data: string): Promise<string> =>
  String((await json('token', 'create', '--description', 'CI', '--data', data))['token']);
const serve = async (data: string): Promise<string> => {
  const server = startCli(['serve', '--listen', '127.0.0.1:0', '--data', data], { cwd: folder.path });
  servers.push(server);
  return (await server.shows(/http:\/\/127\.0\.0\.1:\d+/))[0];
};
const fetchText = async (url: string, token: string): Promise<readonly [number, string, string | null]> => {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  return [response.status, await response.text(), response.headers.get('last-modified')];
};

/** Makes audited changes one after another until it is stopped, each acknowledged as durable. */
async function startWriting(data: string): Promise<{ readonly end: () => Promise<number> }> {
  const state = await openLmdbStore(folder.at(data, 'state'));
  const store = createAuditedStore({ store: state, now: Date.now });
  let [going, written] = [true, 0];
  const writing = (async () => {
    for (; going; written += 1, await delay(playsSeries ? 0 : 5))
      await store.commit(
        {
          conditions: [],
          puts: [
            { key: `left/${written}`, value: written },
            { key: `right/${written}`, value: written },
          ],
          deletes: [],
        },
        { actor: 'system:test', action: 'round', subject: 'it', details: {} },
      );
  })();
  return {
    end: async () => {
      going = false;
      await writing;
      await state.close();
      return written;
    },
  };
}

itInSeries('an intact state is not called damaged where the address space is limited', async () => {
  await createToken('data');
  const limited = await runCli(['backup', 'copy', '--data', 'data'], {
    cwd: folder.path,
    through: ['sh', '-c', 'ulimit -v 1500000; exec "$@"', 'sh'],
  });
  expect([limited.exitCode === 0, limited.stderr]).toEqual([
    false,
    expect.stringMatching(/could not be checked, .* \(SIG\w+\)\. Check .* ulimit -v\)\. Try again\./),
  ]);
  expect(limited.stderr).not.toContain('init --force');
});

describe('libretto backup and restore', () => {
  it('copy a running registry into one that serves, knows its tokens and builds on', async () => {
    addVersion('1.0.0');
    await run('build', 'packages', '--data', 'data');
    writeTree(folder.path, below('upload', whoLibrary('acme/upload', '2.0.0')));
    expect((await run('publish', 'upload', '--data', 'data')).exitCode).toBe(0);
    await run('keys', 'rotate', '--data', 'data');
    writeTree(folder.at('data/build'), {
      'git/cache/HEAD': '',
      'downloads/x': '',
      'ssh/1/repo_x': 'a private key',
      'staging/1-x': '',
    });
    writeTree(folder.at('data/artifacts/.staging'), { 'upload-x.zip': '' });
    const token = await createToken('data');
    // a server writes what it counted after ten seconds
    if (playsSeries) await run('settings', 'set', 'statistics.by', 'token', '--data', 'data');
    const old = await serve('data');
    expect((await fetchText(`${old}/dist/acme/hello/1.0.0.zip`, token))[0]).toBe(200);
    if (playsSeries)
      await expect.poll(async () => (await json('usage', 'acme/hello', '--data', 'data'))['tokens']).not.toBe(0);
    const writing = await startWriting('data');
    const backup = await run('backup', 'saved/copy', '--data', 'data');
    const written = await writing.end();
    expect([backup.exitCode, backup.stderr]).toEqual([0, '']);
    expect(backup.stdout).toMatch(
      /^Backed up \d+ files \(\d+ bytes\) to .*\/saved\/copy: publication 2\. The backup contains the keys: keep it safe\.$/,
    );
    expect(readdirSync(folder.at('saved'))).toEqual(['copy']);
    expect(readdirSync(folder.at('saved/copy')).toSorted()).toEqual([
      'artifacts',
      'backup.json',
      'build',
      'index',
      'keys',
      'public',
      'state',
    ]);
    const kept = readdirSync(folder.at('saved/copy/build'));
    expect(kept).toEqual(expect.arrayContaining(['manifest.json', 'sources']));
    expect(kept.filter((name) => /^(?:git|downloads|ssh|staging|lock.*)$/.test(name))).toEqual([]);
    expect(readdirSync(folder.at('saved/copy/artifacts'))).toEqual(['acme']);
    expect([
      statSync(folder.at('saved/copy')).mode & 0o777,
      statSync(folder.at('saved/copy/state/data.mdb')).mode & 0o777,
    ]).toEqual([0o700, 0o600]);

    const restored = await run('restore', 'saved/copy', '--data', 'restored');
    expect([restored.exitCode, restored.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^Changes since 20.* are lost\. Revoke tokens and disable users again\.\nVersions that were purged since 20.* are back\. Purge them again, or restore with --purged .*$/,
      ) as string,
    ]);
    expect(readdirSync(folder.at('restored')).toSorted()).toEqual([
      'artifacts',
      'build',
      'index',
      'keys',
      'public',
      'state',
      'state.json',
    ]);
    expect([
      statSync(folder.at('restored/keys')).mode & 0o777,
      statSync(folder.at('restored/keys/sealing-0001.json')).mode & 0o777,
    ]).toEqual([0o700, 0o600]);
    expect(await json('usage', 'acme/hello', '--data', 'restored')).toEqual(
      await json('usage', 'acme/hello', '--data', 'data'),
    );
    const url = await serve('restored');
    for (const path of ['/packages.json', '/p2/acme/hello.json', '/p2/acme/upload.json']) {
      const answer = await fetchText(`${url}${path}`, token);
      expect(answer[0]).toBe(200);
      expect(answer).toEqual(await fetchText(`${old}${path}`, token));
    }

    const state = await openLmdbStore(folder.at('restored/state'));
    const audit = await verifyAudit(state);
    const [left, right] = [await state.range('left/'), await state.range('right/')];
    const last = await state.range('audit/event/', { reverse: true, limit: 3 });
    await state.close();
    expect(audit).toMatchObject({ sound: true });
    expect(last.map(({ value }) => value)).toContainEqual(
      expect.objectContaining({ action: 'state.restore', details: expect.objectContaining({ serial: 2 }) as unknown }),
    );
    expect(left.length).toBe(right.length);
    expect(left.length).toBeLessThanOrEqual(written);

    expect(await json('build', '--data', 'restored')).toMatchObject({
      published: false,
      serial: 2,
      notices: [],
      failed: [],
    });
    addVersion('1.1.0');
    expect(await json('build', '--data', 'restored')).toMatchObject({
      serial: 3,
      added: [{ name: 'acme/hello', version: '1.1.0' }],
      changed: [],
      withdrawn: [],
      failed: [],
    });
    expect(await json('verify', '--data', 'restored')).toMatchObject({ ok: true });
    expect((await fetchText(`${url}/p2/acme/hello.json`, token))[1]).toContain('1.1.0');
  });

  it('keep times that an ordinary copy of the backup loses', async () => {
    addVersion('1.0.0');
    await run('build', 'packages', '--data', 'data');
    await run('backup', 'copy', '--data', 'data');
    cpSync(folder.at('copy'), folder.at('moved'), { recursive: true });
    utimesSync(folder.at('moved/public/packages.json'), 1, 1);
    expect((await run('restore', 'moved', '--data', 'restored')).exitCode).toBe(0);
    expect(Math.floor(statSync(folder.at('restored/public/packages.json')).mtimeMs / 1000)).toBe(
      Math.floor(statSync(folder.at('data/public/packages.json')).mtimeMs / 1000),
    );
    expect(await json('build', '--data', 'restored')).toMatchObject({ published: false, notices: [] });
  });

  it('a backup waits for a running build, and leaves no file behind when it is stopped', async () => {
    addVersion('1.0.0');
    await run('build', 'packages', '--data', 'data');
    const lock: Lock = await takeLock(folder.at('data/build/lock'), () => new Date());
    const begin = async (): Promise<RunningCli> => {
      const backup = startCli(['backup', 'copy', '--data', 'data'], { cwd: folder.path });
      servers.push(backup);
      while (!readdirSync(folder.path).some((name) => name.startsWith('.copy.partial-'))) await delay(20);
      return backup;
    };
    const stopped = await begin();
    stopped.signal('SIGINT');
    expect((await stopped.ended).exitCode).toBe(130);
    expect(readdirSync(folder.path).toSorted()).toEqual(['data', 'packages']);
    const waiting = await begin();
    await delay(300); // a backup that does not wait is complete after this time, without the file below
    writeFileSync(folder.at('data/public/published-meanwhile'), '');
    await lock.release();
    expect(await waiting.ended).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^Waiting at most 60 s for /m),
    });
    expect(existsSync(folder.at('copy/public/published-meanwhile'))).toBe(true);
  });

  itInSeries('report a broken audit log in a backup of an older version', async () => {
    await createToken('data');
    await run('backup', 'copy', '--data', 'data');
    const state = await openLmdbStore(folder.at('copy/state'));
    const first = await state.get(auditEventKey(1));
    await state.commit({
      conditions: [],
      puts: [{ key: auditEventKey(1), value: { ...(first?.value as object), actor: 'cli:nobody' } }],
      deletes: [],
    });
    await state.close();
    const bytes = readFileSync(folder.at('copy/state/data.mdb'));
    const record = readBackupRecord(folder.at('copy'));
    const files = record.files.map((one) =>
      one.path === 'state/data.mdb' ? { ...one, size: bytes.length, sha256: hash('sha256', bytes) } : one,
    );
    writeFileSync(folder.at('copy/backup.json'), formatBackupRecord({ ...record, files }));
    const { exitCode, stderr } = await run('restore', 'copy', '--data', 'restored');
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(
        'The audit log of the backup is broken at event 1: the event was changed after it was written.',
      ) as string,
    ]);
  });
});

type Damage = [string, (at: (path: string) => string) => void, RegExp];

/** A record whose digest is right, with another row for packages.json; the file lies where the row says. */
function crafted(what: string, change: (file: BackupFile) => readonly BackupFile[]): Damage {
  const damage = (at: (path: string) => string): void => {
    const { files_sha256: _, ...record } = readBackupRecord(at(''));
    const files = record.files.flatMap((file) => (file.path === 'public/packages.json' ? change(file) : [file]));
    mkdirSync(at('.restoring'));
    cpSync(at('public/packages.json'), at('.restoring/packages.json'));
    writeFileSync(at('backup.json'), formatBackupRecord({ ...record, files }));
  };
  return [what, damage, /backup\.json cannot be used: it is damaged/];
}

describe('a changed backup', () => {
  let whole: TemporaryFolder;
  beforeAll(async () => {
    whole = temporaryFolder('cli-damage');
    writeTree(whole.path, below('packages/hello', whoLibrary('acme/hello', '1.0.0')));
    for (const args of [
      ['build', 'packages'],
      ['token', 'create', '--description', 'x'],
      ['backup', 'copy'],
    ])
      expect((await runCli([...args, '--data', 'data'], { cwd: whole.path })).exitCode).toBe(0);
  });
  afterAll(() => whole.remove());

  it.each<Damage>([
    [
      'a changed file',
      (at) =>
        writeFileSync(
          at('public/packages.json'),
          readFileSync(at('public/packages.json'), 'utf8').replace('acme', 'evil'),
        ),
      /public\/packages\.json does not match its checksum/,
    ],
    [
      'a shortened state',
      (at) => truncateSync(at('state/data.mdb'), 100),
      /state\/data\.mdb has 100 bytes instead of \d+/,
    ],
    ['a missing file', (at) => rmSync(at('index/_publication.json')), /index\/_publication\.json is missing/],
    [
      'a changed list of files',
      (at) =>
        writeFileSync(at('backup.json'), readFileSync(at('backup.json'), 'utf8').replace(/"size":\d+/, '"size":1')),
      /its list of files is not as it was written/,
    ],
    ...['public/../../packages.json', 'public/\n/../../../packages.json', 'public/\u2028/../../../packages.json'].map(
      (path): [string, (at: (path: string) => string) => void, RegExp] => [
        `the path ${JSON.stringify(path)}, which leads out of it`,
        (at) => {
          const { files_sha256: _, ...record } = readBackupRecord(at(''));
          const files = record.files.map((file) => (file.path === 'public/packages.json' ? { ...file, path } : file));
          writeFileSync(at('backup.json'), formatBackupRecord({ ...record, files }));
        },
        /backup\.json cannot be used: it is damaged, or not from `backup`/,
      ],
    ),
    [
      'a newer format',
      (at) => writeFileSync(at('backup.json'), '{"format": 2}'),
      /written by a newer version of Libretto \(format 2; Libretto [\d.]+ reads format 1\)/,
    ],
    [
      'a FIFO in the place of a file',
      (at) => {
        rmSync(at('public/packages.json'));
        execFileSync('mkfifo', [at('public/packages.json')]);
      },
      /public\/packages\.json is not a regular file/,
    ],
    [
      'a link to a device in the place of its record',
      (at) => {
        rmSync(at('backup.json'));
        symlinkSync('/dev/zero', at('backup.json'));
      },
      /backup\.json cannot be used: it is not a regular file/,
    ],
    crafted('a file of the restore itself', (file) => [{ ...file, path: '.restoring/packages.json' }]),
    crafted('a time that no file can have', (file) => [{ ...file, modified: 1e300 }]),
    crafted('a file that is listed twice', (file) => [file, file]),
    ['a backup that was cut off', (at) => rmSync(at('backup.json')), /the file is missing, so this is not a backup/],
  ])('is not restored: %s', async (_what, damage, message) => {
    cpSync(whole.at('copy'), folder.at('copy'), { recursive: true });
    damage((path) => folder.at('copy', path));
    for (const flags of [['--dry-run'], []]) {
      const outcome = await run('restore', 'copy', '--data', 'restored', ...flags);
      expect([outcome.exitCode, outcome.stdout]).toEqual([2, '']);
      expect(outcome.stderr).toMatch(message);
    }
    expect(existsSync(folder.at('restored'))).toBe(false);
  });
});

describe('the folders of a backup', () => {
  it('are refused when one is not empty, contains the other, or is no folder', async () => {
    addVersion('1.0.0');
    await run('build', 'packages', '--data', 'data');
    await run('backup', 'copy', '--data', 'data');
    const refused = async (message: RegExp, ...args: readonly string[]): Promise<void> => {
      const { exitCode, stderr } = await run(...args);
      expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message) as string]);
    };
    await refused(/copy is not empty/, 'backup', 'copy', '--data', 'data');
    await refused(/is inside the data folder/, 'backup', 'data/copy', '--data', 'data');
    await refused(/There is no data folder .*nowhere/, 'backup', 'other', '--data', 'nowhere');
    await refused(/is not empty/, 'restore', 'copy', '--data', 'data');
    await refused(/is inside the backup/, 'restore', 'copy', '--data', 'copy/data');
    expect(readdirSync(folder.path).toSorted()).toEqual(['copy', 'data', 'packages']);
    // an empty volume with the remains of an interrupted restore
    mkdirSync(folder.at('mount/.restoring/public'), { recursive: true });
    expect((await run('restore', 'copy', '--data', 'mount')).exitCode).toBe(0);
    expect(readdirSync(folder.at('mount')).toSorted()).toEqual(['build', 'index', 'public']);
    mkdirSync(folder.at('mount/.restoring'));
    await refused(/interrupted restore\. .* empty the folder and restore again/, 'restore', 'copy', '--data', 'mount');
  });
});
