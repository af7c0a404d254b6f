// All questions of `libretto init`, in their order. Later questions depend on earlier answers.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { isLoopback } from '../../build/contract/loopback.ts';
import { listenFault, parseListen, parseWebAddress, shown, webFault } from '../config/setting-values.ts';
import { UsageError } from '../io/usage-error.ts';
import { formatAddress } from '../text/address.ts';
import { archiveForms, isHttps, proxyKinds, tlsPlaces, type Draft } from './answers.ts';
import { privateHosts, rangesOf } from './network-ranges.ts';
import { downloadCounts } from '../../proxy/settings/definitions.ts';
import type { InitQuestion } from './question.ts';
import { source } from './source-answer.ts';

const publicUrl: InitQuestion = {
  flag: 'publicUrl',
  option: '--public-url',
  essential: true,
  applies: () => true,
  prompt: () => 'Address for clients, such as https://packages.example.org (Enter: only this machine)',
  standard: () => '',
  understand: (answer) => {
    if (answer === '' || answer === 'none') return { draft: { publicUrl: undefined } };
    const url = parseWebAddress(answer);
    if (url !== undefined)
      return {
        draft: { publicUrl: url },
        remark: url.startsWith('http:')
          ? 'Composer refuses http:// unless each client sets secure-http to false.'
          : undefined,
      };
    const fault = webFault(answer);
    throw new UsageError(
      `The address is ${shown(answer)}${fault === undefined ? '' : `, which ${fault}`}. Write one such as ` +
        'https://packages.example.org, without user and query.',
    );
  },
};

const proxy: InitQuestion = {
  flag: 'proxy',
  option: '--proxy',
  essential: true,
  applies: ({ publicUrl: url }) => url !== undefined,
  needs: 'an address for clients (--public-url)',
  prompt: () => `Reverse proxy in front of it: ${proxyKinds.join(', ')}`,
  standard: (draft) => (isHttps(draft) ? 'nginx' : 'none'),
  understand: (answer, draft) => {
    const kind = oneOf(proxyKinds, answer, 'The reverse proxy');
    if (kind === 'none') refusePath(draft, 'Libretto answers at the root of a host only');
    return { draft: { proxy: kind } };
  },
};

const proxyAddress: InitQuestion = {
  flag: 'proxyAddress',
  option: '--proxy-address',
  applies: (draft) => (draft.proxy ?? 'none') !== 'none',
  needs: 'a reverse proxy (--proxy)',
  prompt: () => 'Address or network of the proxy, as this machine sees it',
  standard: () => '127.0.0.1',
  understand: async (answer, _, place) => ({
    draft: { trustedProxies: await rangesOf(answer, place, 'The address of the proxy') },
  }),
};

const tls: InitQuestion = {
  flag: 'tls',
  option: '--tls',
  essential: true,
  applies: ({ publicUrl: url }) => url !== undefined,
  needs: 'an address for clients (--public-url)',
  prompt: () => 'TLS: at the proxy (proxy), by Libretto with its own certificate (own), or none',
  standard: (draft) => (!isHttps(draft) ? 'none' : draft.proxy === 'none' ? 'own' : 'proxy'),
  understand: (answer, draft) => {
    const place = oneOf(tlsPlaces, answer, 'TLS');
    if (place === 'proxy' && (draft.proxy ?? 'none') === 'none')
      throw new UsageError('TLS at the proxy needs a reverse proxy: nginx, caddy or haproxy. Choose own or none.');
    if (place === 'none' && isHttps(draft))
      throw new UsageError(`Clients use ${draft.publicUrl ?? ''}, which needs TLS. Choose proxy or own.`);
    if (place !== 'none' && draft.publicUrl?.startsWith('http:') === true)
      throw new UsageError(`Clients use ${draft.publicUrl}, which has no TLS. Choose none, or an https:// address.`);
    return { draft: { tls: place } };
  },
};

const certificateFile = (key: 'tlsCert' | 'tlsKey', option: string, words: string): InitQuestion => ({
  flag: key,
  option,
  applies: ({ tls: place }) => place === 'own',
  needs: '--tls own',
  prompt: () => words,
  standard: () => undefined,
  understand: (answer, _, { workingDirectory }) => {
    const path = resolve(workingDirectory, answer);
    if (!existsSync(path))
      throw new UsageError(
        `There is no file ${path}. Name the PEM file of the ${key === 'tlsCert' ? 'certificate' : 'key'}.`,
      );
    return { draft: { [key]: path } };
  },
});

const gitHosts: InitQuestion = {
  flag: 'gitHosts',
  option: '--git-hosts',
  applies: () => true,
  prompt: () => 'Git servers in your own network: names, addresses or ranges, separated by commas, or none',
  standard: async ({ sources = [] }, place) => (await privateHosts(sources, place)).join(', ') || 'none',
  understand: async (answer, _, place) => ({
    draft: { gitHosts: answer === 'none' ? [] : await rangesOf(answer, place, 'The git servers') },
  }),
};

const listen: InitQuestion = {
  flag: 'listen',
  option: '--listen',
  applies: () => true,
  prompt: () => 'Address and port to listen on',
  standard: (draft) => standardListen(draft),
  understand: (answer) => {
    const parsed = parseListen(answer);
    if (parsed !== undefined) return { draft: { listen: formatAddress(parsed.host, parsed.port) } };
    const fault = listenFault(answer);
    throw new UsageError(
      `The address to listen on is ${shown(answer)}${fault === undefined ? '' : `, which ${fault}`}. Write HOST:PORT ` +
        'such as 127.0.0.1:8080.',
    );
  },
};

const systemd: InitQuestion = {
  flag: 'systemd',
  option: '--systemd',
  applies: () => true,
  prompt: () => 'Folder for systemd units (Enter: write none)',
  standard: () => '',
  understand: (answer, _, { workingDirectory }) => ({
    draft: { systemd: answer === '' ? undefined : resolve(workingDirectory, answer) },
  }),
};

const data: InitQuestion = {
  flag: 'data',
  option: '--data',
  applies: () => true,
  prompt: () => 'Data folder: published files, tokens and history',
  standard: ({ systemd: units }) => (units === undefined ? './var' : '/var/lib/libretto'),
  understand: (answer, { sources = [] }, { workingDirectory }) => {
    const path = resolve(workingDirectory, answer);
    // eslint-disable-next-line no-control-regex -- control characters are exactly what is refused
    if (/[\u0000-\u001f\u007f]/.test(path))
      throw new UsageError(`${shown(path)} contains a control character. Name another folder for the data.`);
    if (sources.some((one) => 'path' in one && one.path === path))
      throw new UsageError(`${path} is a source. Name another folder for the data.`);
    return { draft: { data: path } };
  },
};

const proxyFile: InitQuestion = {
  flag: 'proxyFile',
  option: '--nginx, --caddy or --haproxy',
  applies: (draft) => (draft.proxy ?? 'none') !== 'none',
  needs: 'a reverse proxy (--proxy)',
  prompt: ({ proxy: kind = 'none' }) => `File for the configuration of ${kind} (Enter: write none)`,
  standard: () => '',
  understand: (answer, draft, { workingDirectory }) => {
    if (answer === '') return { draft: { proxyFile: undefined } };
    refusePath(draft, `the file for ${draft.proxy ?? 'none'} passes on the root of a host only`);
    return { draft: { proxyFile: resolve(workingDirectory, answer) } };
  },
};

const archives: InitQuestion = {
  flag: 'archives',
  option: '--archives',
  applies: ({ publicUrl: url }) => url !== undefined,
  needs: 'an address for clients (--public-url)',
  prompt: () =>
    'Archive addresses: path, or absolute, so that the last line of Composer says why an archive is refused',
  standard: () => 'path',
  understand: (answer) => ({ draft: { archives: oneOf(archiveForms, answer, 'The form of archive addresses') } }),
};

const countBy: InitQuestion = {
  flag: 'countBy',
  option: '--count-by',
  applies: () => true,
  prompt: () => 'Count downloads by version, or by token, which shows who uses what (Enter: the console asks)',
  standard: () => '',
  understand: (answer) =>
    answer === '' ? { draft: {} } : { draft: { countBy: oneOf(downloadCounts, answer, 'What downloads count by') } },
};

export const questions: readonly InitQuestion[] = [
  source,
  publicUrl,
  proxy,
  proxyAddress,
  tls,
  certificateFile('tlsCert', '--tls-cert', 'Certificate with its chain, a PEM file'),
  certificateFile('tlsKey', '--tls-key', 'Private key of the certificate, a PEM file'),
  gitHosts,
  listen,
  systemd,
  data,
  proxyFile,
  archives,
  countBy,
];

/** A proxy on this machine is the only client; other clients need an address of the network. */
function standardListen({ publicUrl: url, proxy: kind = 'none', trustedProxies = [] }: Draft): string {
  if (url === undefined) return '127.0.0.1:8080';
  if (kind !== 'none')
    return trustedProxies.every((one) => isLoopback(one.replace(/\/.*$/, ''))) ? '127.0.0.1:8080' : '0.0.0.0:8080';
  const { port, protocol } = new URL(url);
  return `0.0.0.0:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
}

/** An address below a path needs a proxy that removes the path. */
function refusePath({ publicUrl: url }: Draft, why: string): void {
  if (url === undefined) return;
  const { pathname, origin } = new URL(url);
  if (pathname === '/') return;
  throw new UsageError(
    `Clients use ${url}, which has the path ${pathname}; ${why}. Give the registry a host of its own, such as ` +
      `--public-url ${origin}. Or name your proxy with --proxy alone, and let it remove the path: ` +
      'see "Below a path" in docs/how-to/reverse-proxy.md. docs/deploy/nginx-path.conf is the file for nginx.',
  );
}

function oneOf<Value extends string>(values: readonly Value[], answer: string, what: string): Value {
  const found = values.find((value) => value === answer.toLowerCase());
  if (found !== undefined) return found;
  throw new UsageError(`${what} is ${shown(answer)}; allowed: ${values.join(', ')}.`);
}
