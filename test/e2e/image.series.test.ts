// Tests the Dockerfile without Docker: its instructions run in namespaces on a copy of this machine's files, without a
// network, and the image runs with a read-only root folder as a user without rights. Not run: `npm ci` (the installed
// packages stand for it), `apt-get`, and the base image.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { containerScript, stagesOf, textOf } from '../util/dockerfile.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const root = new URL('../../', import.meta.url).pathname;
const dockerfile = readFileSync(join(root, 'docs/deploy/Dockerfile'), 'utf8');
const [, image = []] = stagesOf(dockerfile);

const words = (json: string): string =>
  (JSON.parse(json) as string[]).map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
const healthCheck = words(/CMD (\[.*\])$/.exec(textOf(image, 'HEALTHCHECK'))?.[1] ?? '');
const command = `${words(textOf(image, 'ENTRYPOINT'))} ${words(textOf(image, 'CMD'))}`;

/** What the container says, one line for each question. */
const inside = `
tell() { name=$1; shift; if "$@" > "$work/said" 2>&1; then code=0; else code=$?; fi; echo "$name: $code $(tail -n 1 "$work/said")"; }
tell version $container libretto --version
tell user $container id -u
tell root $container touch /usr/local/bin/other
tell temporary $container touch /tmp/other
mount --bind "$context/packages-src/acme/hello" "$work/image/mnt"
tell build $container libretto build /mnt
$container libretto token create --description test > "$work/token" 2>/dev/null
$container ${command} > "$work/log" 2>&1 &
for attempt in $(seq 100); do $container ${healthCheck} && break; sleep 0.1; done
tell healthy $container ${healthCheck}
tell package $container node -e "fetch('http://127.0.0.1:8080/p2/acme/hello.json', { headers: { authorization: 'Bearer ' + process.argv[1] } }).then((answer) => console.log(answer.status))" "$(cat "$work/token")"
kill -${textOf(image, 'STOPSIGNAL').replace('SIG', '')} $!
if wait $!; then echo "ended: 0"; else echo "ended: $?"; cat "$work/log"; fi
tell stopped $container ${healthCheck}
`;

const usable = process.getuid?.() === 0 && !lacks('unshare', 'setpriv', 'ip');

describe.skipIf(!usable)('the image', () => {
  let told: readonly string[];

  beforeAll(async () => {
    await using folder = temporaryFolder('image');
    const { stdout, stderr, exitCode } = await execa(
      'unshare',
      ['--mount', '--net', '--pid', '--fork', '--kill-child=SIGKILL', 'sh', '-c', containerScript(dockerfile, inside)],
      {
        env: { context: root, modules: join(root, 'node_modules'), work: folder.path, node: process.execPath },
        reject: false,
        timeout: 100_000,
      },
    );
    expect(exitCode, stderr).toBe(0);
    told = stdout.split('\n');
  });

  it('runs as a user without rights, and writes below /data and /tmp only', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(told).toContain(`version: 0 ${version}`);
    expect(told).toContain('user: 0 1000');
    expect(told).toContainEqual(expect.stringMatching(/^root: 1 .*Read-only file system$/));
    expect(told).toContain('temporary: 0 ');
  });

  it('builds, serves, is healthy while it serves, and ends with 0', () => {
    expect(told).toContainEqual(expect.stringMatching(/^build: 0 /));
    expect(told).toContain('healthy: 0 ');
    expect(told).toContain('package: 0 200');
    expect(told).toContain('ended: 0');
    expect(told).toContainEqual(expect.stringMatching(/^stopped: 1/));
  });
});
