// A registry for npm on loopback: it has the packages and advisories that a test gives it, and no others.

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface Advisory {
  readonly id: number;
  readonly url: string;
  readonly title: string;
  readonly severity: 'low' | 'moderate' | 'high' | 'critical';
  readonly vulnerable_versions: string;
}

export interface NpmRegistry extends AsyncDisposable {
  readonly url: string;
  /** what npm needs to ask this registry alone, with a cache of its own in `folder` */
  readonly environment: (folder: string) => Readonly<Record<string, string>>;
}

export interface RegistryContents {
  readonly advisories?: Readonly<Record<string, readonly Advisory[]>>;
  /** `name@version` → the bytes of its file */
  readonly files?: Readonly<Record<string, Buffer>>;
}

export async function startNpmRegistry({ advisories, files = {} }: RegistryContents): Promise<NpmRegistry> {
  const server = createServer((request, response) => {
    request.resume();
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    const answer = (status: number, body: object | Buffer): void =>
      void response.writeHead(status).end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
    if (path === '-/npm/v1/security/advisories/bulk' && advisories !== undefined) return answer(200, advisories);
    if (path.startsWith('file/')) return answer(200, files[path.slice(5)] ?? Buffer.alloc(0));
    const found = Object.keys(files).filter((key) => key.startsWith(`${path}@`));
    return found.length === 0 ? answer(404, {}) : answer(200, packumentOf(path, found));
  });
  const packumentOf = (name: string, keys: readonly string[]): object => {
    const versions = keys.map((key) => {
      const version = key.slice(name.length + 1);
      const integrity = `sha512-${createHash('sha512')
        .update(files[key] ?? '')
        .digest('base64')}`;
      return [version, { name, version, dist: { tarball: `${url}/file/${encodeURIComponent(key)}`, integrity } }];
    });
    return { name, 'dist-tags': {}, versions: Object.fromEntries(versions) as object };
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    environment: (folder) => ({
      npm_config_registry: url,
      npm_config_cache: `${folder}/npm-cache`,
      npm_config_replace_registry_host: 'always',
      npm_config_offline: 'false',
      npm_config_update_notifier: 'false',
    }),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
