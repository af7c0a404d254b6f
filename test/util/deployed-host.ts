// A scratch host with a registry that the lines of docs/how-to/deploy.md deployed: https://packages.example.org.
// test/e2e/operator.series.test.ts proves these lines one by one; here they are the ground for other tests.

import { expect } from 'vitest';
import { composerCommand } from './composer.ts';
import { blockWith } from './page-blocks.ts';
import { startScratchHost, type HostResult, type RunOptions, type ScratchHost } from './scratch-host.ts';

const page = 'docs/how-to/deploy.md';

/** A certificate that the host trusts: there is no internet, and so no authority. */
export const certificateLines = `
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=packages.example.org \\
  -addext subjectAltName=DNS:packages.example.org \\
  -keyout /etc/ssl/packages.example.org.key -out /etc/ssl/packages.example.org.pem
cat /etc/ssl/packages.example.org.pem >> /etc/ssl/certs/ca-certificates.crt`;

/** Programs of Node.js do not read the host's certificates. */
export const trustOfNode = { NODE_EXTRA_CA_CERTS: '/etc/ssl/packages.example.org.pem' };

/** The program as the checkout has it, where `npm install --prefix` would put it. */
export const programLines = `
mkdir -p /opt/libretto/bin /opt/libretto/lib/node_modules
ln -s /opt/clone /opt/libretto/lib/node_modules/libretto
ln -s ../lib/node_modules/libretto/lib/cli/main.js /opt/libretto/bin/libretto`;

const serving = `timeout 60 sh -c 'until curl -sf http://127.0.0.1:8080/health/ready > /dev/null; do sleep 0.05; done'\n`;

export interface DeployedHost extends ScratchHost {
  /** As `run`; the test fails where a line does. */
  readonly paste: (lines: string, options?: RunOptions) => Promise<HostResult>;
}

/** `sources`: JSON, the value of `sources` in libretto.json; `prepare`: lines that make them. */
export async function startDeployedHost(prepare: string, sources: string): Promise<DeployedHost> {
  const host = await startScratchHost();
  const paste = pasting(host);
  try {
    await paste(programLines);
    await paste(blockWith(page, 'useradd').text);
    await paste(blockWith(page, 'libretto.json /etc').text);
    await paste(blockWith(page, 'libretto-operator').text);
    await paste(`${prepare}\nsed -i 's#^  "sources": .*#  "sources": ${sources},#' /etc/libretto/libretto.json`);
    await paste(`${certificateLines}\nsystemctl start nginx`);
    await paste(blockWith(page, 'nginx -t').text.replace('apt-get install --yes nginx\n', ''));
    await paste(blockWith(page, 'systemctl enable').text.replace('libretto doctor\n', serving));
  } catch (error) {
    await host[Symbol.asyncDispose]();
    throw error;
  }
  return { ...host, paste };
}

export const pasting =
  (host: ScratchHost): DeployedHost['paste'] =>
  async (lines, options) => {
    const result = await host.run(lines, options);
    expect(result.exitCode, `${lines}\n${result.output}`).toBe(0);
    return result;
  };

/** Runs lines for Composer in a new project /root/NAME, which asks packagist.org nothing: there is no internet. */
export async function installWithComposer(host: DeployedHost, name: string, lines: string): Promise<void> {
  const client = composerCommand().map((word) => `'${word}'`);
  await host.paste(
    `mkdir /root/${name} && cd /root/${name}
    composer() { ${client.join(' ')} "$@"; }
    composer init -n --name=me/${name} && composer config repositories.packagist.org false
    ${lines}`,
    { environment: { COMPOSER_ALLOW_SUPERUSER: '1', COMPOSER_HOME: '/root/composer' } },
  );
}

/** The lines of the page that install a package, with this token. */
export const composerLines = (token: string, name: string): string =>
  blockWith(page, 'composer require').text.replaceAll('lib_r_…', token).replaceAll('acme/tool', name);
