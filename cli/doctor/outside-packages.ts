// Requests packages from a registry as Composer does, step by step and through any reverse proxy. The steps are
// packages.json, one document by its template, the same document if it changed, and one archive. The same requests
// follow without the token. No cache between client and registry may store an authenticated response.

import { plainMetadataUrl } from '../../build/contract/documents.ts';
import { pathBelowHost } from '../../build/contract/registry-address.ts';
import { sendProbe, jsonOf, describeResponse, type ProbeOptions, type ProbeResponse } from './send-probe.ts';
import { checkArchiveDownload } from './outside-archive.ts';
import {
  lostForm,
  pathElsewhere,
  resolved,
  setPlain,
  anyPackage,
  isOutsideRegistry,
  setPublicUrl,
} from './outside-form.ts';
import { failed, ok, skipped, warning, type Finding } from './finding.ts';

// Checks the paths that packages.json names. Each has to be below the address of the registry, and a request has to
// arrive there. The check sends no token: a refusal by the registry proves that the request arrived.

/** What the registry itself says to a request without a token; `notify-batch` takes no GET. */
const refusals: readonly unknown[] = ['AUTHENTICATION_REQUIRED', 'METHOD_NOT_ALLOWED'];

/** undefined: all paths are below the registry. `root`: packages.json as it came. */
function addressesOutside(url: string, root: ProbeResponse): Finding | undefined {
  const outside = namedIn(url, root).filter(({ address }) => isOutsideRegistry(url, address));
  if (outside.length === 0) return undefined;
  const places = outside.map(({ key, address }) => `${key} ${address}`).join(', ');
  return failed('url.addresses', `packages.json names addresses outside of ${url}: ${places}.`, setPublicUrl(url));
}

/** Documents and archives have checks of their own. */
async function checkOffers(url: string, root: ProbeResponse, now: () => Date): Promise<Finding> {
  for (const { key, address } of namedIn(url, root)) {
    if (key === 'metadata-url' || key === 'mirrors') continue;
    const reply = await sendProbe(address.replace('%package%', anyPackage).replaceAll(/%\w+%/g, ''), {}, now);
    if (!refusals.includes(jsonOf(reply.text)['code']))
      return failed(
        'url.addresses',
        `The address of ${key} in packages.json does not get through: ${address} answers ${describeResponse(reply)}.`,
        'Configure the reverse proxy to pass on every path below the registry, and set publicUrl to the address of ' +
          'clients, with its path.',
      );
  }
  return ok('url.addresses', 'The other addresses in packages.json get through');
}

/** Keys of packages.json with texts for people. */
const texts = new Set(['name', 'description', 'homepage', 'warnings', 'infos']);

function namedIn(url: string, { text }: ProbeResponse): { readonly key: string; readonly address: string }[] {
  return Object.entries(jsonOf(text))
    .filter(([key]) => !texts.has(key))
    .flatMap(([key, value]) => pathsIn(value).map((path) => ({ key, address: resolved(url, path) })));
}

function pathsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.startsWith('/') ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}

export interface Client {
  readonly url: string;
  readonly token: string;
  readonly now: () => Date;
}

/** `root`: packages.json as it came. */
export async function checkPackages(client: Client, root: ProbeResponse): Promise<readonly Finding[]> {
  const { 'metadata-url': template, 'available-packages': names, mirrors } = jsonOf(root.text);
  if (typeof template !== 'string' || !Array.isArray(names))
    return [failed('url.metadata', 'packages.json is not from Libretto.', 'Check the address of the registry.')];
  const outside = addressesOutside(client.url, root);
  if (outside !== undefined) return [outside];
  const offers = await checkOffers(client.url, root, client.now);
  const name: unknown = names[0];
  if (typeof name !== 'string')
    return [offers, skipped('url.metadata', 'Nothing is published, so there is no document to request.')];
  const { reply, finding, address } = await readDocument(client, template, name);
  if (reply === undefined) return [offers, finding];
  return [
    offers,
    finding,
    await checkCaching(client, address, reply),
    ...(await checkDist(client, mirrors, name, reply)),
    await checkSharedCaches(client, address),
  ];
}

interface Document {
  readonly finding: Finding;
  readonly address: string;
  /** undefined: it cannot be had */
  readonly reply: ProbeResponse | undefined;
}

async function readDocument(client: Client, template: string, name: string): Promise<Document> {
  const read = async (form: string): Promise<{ readonly address: string; readonly reply: ProbeResponse }> => {
    // releases are in one document, branches in another: a package may have only one of them
    const [address, ofBranches] = [name, `${name}~dev`].map((document) =>
      resolved(client.url, form.replace('%package%', document)),
    ) as [string, string];
    const reply = await askAs(client, address);
    if (jsonOf(reply.text)['code'] !== 'NOT_FOUND') return { address, reply };
    const other = await askAs(client, ofBranches);
    return other.status === 200 ? { address: ofBranches, reply: other } : { address, reply };
  };
  const { address, reply } = await read(template);
  if (reply.status === 200) return { address, reply, finding: ok('url.metadata', `${template} gets through`) };
  const plain = `${pathBelowHost(client.url)}${plainMetadataUrl}`;
  const elsewhere = pathElsewhere(client.url, template);
  if (plain === template || elsewhere !== undefined || (await read(plain)).reply.status !== 200)
    return { address, reply: undefined, finding: lostForm(template, address, reply, client.url) };
  const message = `${template} does not get through: ${address} answers ${describeResponse(reply)}.`;
  const advice = `The reverse proxy does not pass on that form; ${plain} works. ${setPlain(client.url)}`;
  return { address, reply: undefined, finding: failed('url.metadata', message, advice) };
}

async function checkCaching(client: Client, address: string, { headers }: ProbeResponse): Promise<Finding> {
  const modified = headers['last-modified'];
  const advice =
    'Configure the reverse proxy to pass on Last-Modified, ETag, Cache-Control and If-Modified-Since ' +
    'unchanged. Without them each update loads every document again.';
  if (modified === undefined) return failed('url.caching', 'Documents come without Last-Modified.', advice);
  const again = await askAs(client, address, { 'if-modified-since': modified });
  if (again.status !== 304)
    return failed(
      'url.caching',
      `A document that has not changed is sent again: ${describeResponse(again)} in place of 304.`,
      advice,
    );
  if (!/\bprivate\b/.test(headers['cache-control'] ?? ''))
    return warning(
      'url.caching',
      `Documents come with Cache-Control ${headers['cache-control'] ?? 'missing'}: a cache between client ` +
        `and registry may give them to other clients.`,
      advice,
    );
  return ok('url.caching', 'Unchanged documents are answered with 304');
}

async function checkDist(
  client: Client,
  mirrors: unknown,
  name: string,
  document: ProbeResponse,
): Promise<readonly Finding[]> {
  const mirror: unknown = Array.isArray(mirrors)
    ? (mirrors[0] as Record<string, unknown> | undefined)?.['dist-url']
    : undefined;
  const archives = versionsOf(document, name).map(({ label, reference, url, shasum }) => {
    const form = typeof mirror === 'string' ? mirror : url;
    return {
      address: resolved(
        client.url,
        form.replace('%package%', name).replace('%prettyVersion%', encodeURI(label)).replace('%reference%', reference),
      ),
      shasum,
    };
  });
  if (archives.length === 0) return [skipped('url.dist', `${name} has no release, so no archive was requested.`)];
  return [
    await checkArchiveDownload(
      archives,
      (address, options) => askAs(client, address, {}, options),
      (address, options) => sendProbe(address, {}, client.now, options),
    ),
  ];
}

/** After the token has read it: a cache that went by the address alone would have it now. */
async function checkSharedCaches(client: Client, address: string): Promise<Finding> {
  const reply = await sendProbe(address, {}, client.now);
  return reply.status === 200
    ? failed(
        'url.shared',
        `A shared cache serves ${address} to clients without a token after a client with a token read it.`,
        'A proxy between client and registry stores answers. Configure it to store nothing.',
      )
    : ok('url.shared', 'No shared cache stores authenticated answers');
}

function versionsOf(
  document: ProbeResponse,
  name: string,
): { readonly label: string; readonly reference: string; readonly url: string; readonly shasum: string | undefined }[] {
  const packages = jsonOf(document.text)['packages'] as Record<string, unknown> | undefined;
  const versions = packages?.[name];
  const records = Object.values(typeof versions === 'object' && versions !== null ? versions : {}) as Record<
    string,
    unknown
  >[];
  return records.flatMap(({ version, dist }) => {
    const { url, reference, shasum } = (dist ?? {}) as Record<string, unknown>;
    return typeof version === 'string' && typeof url === 'string' && typeof reference === 'string'
      ? [{ label: version, reference, url, shasum: typeof shasum === 'string' ? shasum : undefined }]
      : [];
  });
}

/** The token goes to the registry's own host and nowhere else. */
function askAs(
  { url, token, now }: Client,
  address: string,
  headers: Readonly<Record<string, string>> = {},
  options: ProbeOptions = {},
): Promise<ProbeResponse> {
  const ours = new URL(address).origin === new URL(url).origin;
  return sendProbe(address, ours ? { ...headers, authorization: `Bearer ${token}` } : headers, now, options);
}
