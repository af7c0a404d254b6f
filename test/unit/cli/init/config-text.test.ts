// Tests the libretto.json that `init` writes: the program accepts it, and reads the answers back.

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';

import { loadConfig } from '../../../../cli/config/config.ts';
import type { Answers } from '../../../../cli/init/answers.ts';
import { configText } from '../../../../cli/init/config-text.ts';
import { temporaryFolder } from '../../../util/temporary-folder.ts';

const folder = temporaryFolder('init-config');
afterAll(() => folder.remove());
mkdirSync(folder.at('project/packages'), { recursive: true });
const directory = folder.at('project');

const answers: Answers = {
  sources: [
    { prefix: 'dir', path: folder.at('project/packages') },
    { prefix: 'git', path: folder.at('tool') },
    { prefix: 'artifact', path: '/srv/bought' },
    { url: 'https://git.example.org/acme/tool.git' },
  ],
  publicUrl: 'https://packages.example.org',
  proxy: 'nginx',
  trustedProxies: ['127.0.0.1'],
  tls: 'proxy',
  tlsCert: undefined,
  tlsKey: undefined,
  gitHosts: ['10.0.0.7'],
  listen: '127.0.0.1:8080',
  systemd: undefined,
  data: folder.at('project/var'),
  proxyFile: undefined,
  archives: 'path',
  countBy: undefined,
};
const textOf = (more: Partial<Answers> = {}, absolute = false): Record<string, unknown> =>
  JSON.parse(
    configText({ ...answers, ...more }, { directory, absolute, schema: './docs/libretto.schema.json' }),
  ) as Record<string, unknown>;

describe('the libretto.json of init', () => {
  it('has its schema first, and near paths relative to the file', () => {
    expect(Object.keys(textOf())[0]).toBe('$schema');
    expect(textOf()).toMatchObject({
      data: './var',
      sources: ['./packages', 'git:../tool', 'artifact:/srv/bought', 'https://git.example.org/acme/tool.git'],
      egress: { allow: ['10.0.0.7'] },
    });
  });

  it('has absolute paths where the file will move', () => {
    expect(textOf({}, true)).toMatchObject({
      data: folder.at('project/var'),
      sources: [folder.at('project/packages'), `git:${folder.at('tool')}`, 'artifact:/srv/bought', expect.anything()],
    });
  });

  it('names the address of the registry alone, and for absolute archive addresses distUrl too', () => {
    const publicUrl = 'https://example.org/composer';
    for (const key of ['metadataUrl', 'distUrl']) expect(textOf({ publicUrl })).not.toHaveProperty(key);
    expect(textOf({ publicUrl, archives: 'absolute' })).toMatchObject({ publicUrl, distUrl: publicUrl });
    expect(textOf({ publicUrl: undefined, archives: 'absolute' })).not.toHaveProperty('distUrl');
  });

  it('is accepted by the program, with the same values', async () => {
    writeFileSync(
      folder.at('project/libretto.json'),
      configText(
        { ...answers, tls: 'own', tlsCert: folder.at('project/a.pem'), tlsKey: folder.at('project/a.key') },
        { directory, absolute: false, schema: './docs/libretto.schema.json' },
      ),
    );
    const config = await loadConfig({ flags: {}, environment: {}, workingDirectory: directory });
    expect({
      data: config.data.value,
      listen: config.listen.value,
      publicUrl: config.publicUrl.value,
      trustedProxies: config.trustedProxies.value,
      tlsCert: config.tlsCert.value,
      egress: config.egressAllow.value,
    }).toEqual({
      data: answers.data,
      listen: { host: '127.0.0.1', port: 8080 },
      publicUrl: answers.publicUrl,
      trustedProxies: ['127.0.0.1'],
      tlsCert: folder.at('project/a.pem'),
      egress: ['10.0.0.7'],
    });
  });
});
