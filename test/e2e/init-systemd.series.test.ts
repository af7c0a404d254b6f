// Plays an operator who starts with `libretto init --systemd`: its printed lines are pasted as root on a host with real
// systemd and users, without a `libretto` on the PATH. The registry then has a package, and a first token.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { pasting, programLines, type DeployedHost } from '../util/deployed-host.ts';
import { lacksScratchHost, startScratchHost } from '../util/scratch-host.ts';

const sources = `
mkdir -p /srv/packages/hello && cd /srv/packages/hello
printf '{"name": "acme/hello", "version": "1.0.0"}' > composer.json`;

describe.skipIf(lacksScratchHost())('an operator who starts with libretto init --systemd', () => {
  let host: DeployedHost;
  beforeAll(async () => {
    const empty = await startScratchHost();
    host = { ...empty, paste: pasting(empty) };
    await host.paste(`${programLines}\n${sources}`);
  });
  afterAll(() => host[Symbol.asyncDispose]());

  it('pastes the printed lines, and has a running service, the command libretto and a token', async () => {
    await host.paste('install -d /srv/setup');
    const init = '/opt/libretto/bin/libretto init --source /srv/packages --systemd units --yes';
    const { stdout } = await host.paste(init, { cwd: '/srv/setup' });
    const lines = /^Next, as root:\n\n((?: {2}.+\n?)+)/m.exec(stdout)?.[1] ?? '';
    expect(lines).toContain('libretto token create');

    const { output } = await host.paste(`set -e\n${lines}`, { cwd: '/root' });
    expect(output).toContain('+ acme/hello 1.0.0');
    expect(output).toMatch(/^lib_r_\w+$/m);
    expect(output).not.toContain('FAILED');
    const states = await host.paste('systemctl is-active libretto.service libretto-build.timer');
    expect(states.stdout).toBe('active\nactive');
    expect((await host.paste('find /var/lib/libretto ! -user libretto')).output).toBe('');
    expect((await host.paste('libretto status')).output).toContain('1 package, 1 version');
  });
});
