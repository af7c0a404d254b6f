// Checks the origin: the tree is readable and complete, a missing file is 404, and the origin refuses strangers.

import { parsePackageName } from '../../build/contract/name.ts';
import { publicationPath, rootDocumentPath } from '../../build/contract/paths.ts';
import type { Publication } from '../../build/contract/publication.ts';
import { createOriginFiles } from '../../proxy/origin/origin-files.ts';
import { createOriginRequests } from '../../proxy/origin/origin-requests.ts';
import { fetchWhole } from '../../proxy/origin/origin-text.ts';
import type { Config } from '../config/config.ts';
import type { OutputAddress } from '../config/output-settings.ts';
import { storeUrl, type StoreContext } from '../data-folder/output-store.ts';
import { counted } from '../io/output.ts';
import { parsePublishedTree } from '../tree/published-tree.ts';
import { connectOrigin } from '../tree/served-tree.ts';
import { version } from '../io/version.ts';
import { failed, ok, settled, warning, type Finding } from './finding.ts';

const connectionsAtOnce = 4;

/** Returns no finding if the tree is in the data folder. */
export async function checkOrigin(config: Config, context: StoreContext): Promise<readonly Finding[]> {
  const { origin, originAuthorization, originCheck } = config;
  const userAgent = `Libretto/${version} (doctor)`;
  const connection = origin.value && (await connectOrigin(config, context, userAgent));
  if (origin.value === undefined || connection === undefined) return [];
  const { url, store } = origin.value;
  const isGuarded = store !== undefined || (originAuthorization.value ?? origin.value.authorization) !== undefined;
  const opened = createOriginFiles({
    origin: connection,
    checkEveryMs: originCheck.value,
    cacheBytes: 1024 ** 2 * 64,
    onNewer: () => undefined,
    notice: () => undefined,
    monotonicMs: () => performance.now(),
  });
  try {
    const publication = await opened.files.publication();
    if (publication === undefined)
      return [
        store === undefined
          ? missingTree(url)
          : failed('origin', `Nothing was published to ${url}.`, storeAdvice(store)),
      ];
    const read = await readSamples(opened);
    return [
      readable(url, publication, read),
      ...(isGuarded
        ? await settled('origin.closed', 'Check the reverse proxy in front of the origin.', () =>
            checkClosed(url, store === undefined ? url : storeUrl(store, context), userAgent),
          )
        : []),
    ];
  } catch (error) {
    return [failed('origin', error instanceof Error ? error.message : String(error), adviceFor(error, store))];
  } finally {
    opened.close();
  }
}

interface OriginSamples {
  /** the number of packages in packages.json */
  readonly packages: number;
  /** true: the origin answers 404 for a missing file */
  readonly reportsMissing: boolean;
}

/** Reads packages.json, the index of a package that does not exist, and the first archive. Rejects for a damaged tree. */
async function readSamples({ files, published }: ReturnType<typeof createOriginFiles>): Promise<OriginSamples> {
  const names = parsePublishedTree((await published.read(`public/${rootDocumentPath}`))?.toString('utf8'))?.names ?? [];
  const epoch = await files.epoch(0);
  const absent = parsePackageName('libretto-doctor/is-not-there');
  const reportsMissing =
    absent === undefined ||
    (await Promise.resolve(files.archives(absent, epoch)).then(
      () => true,
      () => false,
    ));
  const [name] = names.flatMap((given) => parsePackageName(given) ?? []);
  const entry = name === undefined ? undefined : (await files.archives(name, epoch))?.first;
  if (entry !== undefined)
    await files.archive(entry, { ifNoneMatch: undefined, ifModifiedSince: undefined, head: true });
  return { packages: names.length, reportsMissing };
}

const storeAdvice = ({ raw }: OutputAddress): string =>
  `Publish there with \`libretto build --output ${raw}\`, and allow s3:GetObject for the objects below the prefix.`;

function missingTree(url: string): Finding {
  return failed(
    'origin',
    `There is no index/${publicationPath} below ${url}: no tree was uploaded there.`,
    'Upload public/ and index/ of the data folder on the building host (docs/how-to/origin.md). --origin ' +
      'is the address of the folder with both.',
  );
}

function readable(url: string, { serial }: Publication, { packages, reportsMissing }: OriginSamples): Finding {
  const message = `Publication ${serial} at ${url}: ${counted(packages, 'package')}`;
  return reportsMissing
    ? ok('origin', message)
    : warning(
        'origin',
        `${message}; but it does not answer 404 for a missing file`,
        'With object storage, also allow the reader to list the bucket (s3:ListBucket). Otherwise a missing ' +
          'file is 403, and clients get 500 for an unknown package.',
      );
}

function adviceFor(error: unknown, store: OutputAddress | undefined): string {
  const text = error instanceof Error ? error.message : '';
  if (store !== undefined) return storeAdvice(store);
  if (/answered (?:401|403)/.test(text))
    return 'Set its credentials: http(s)://USER:PASSWORD@HOST/… or LIBRETTO_ORIGIN_AUTHORIZATION.';
  if (/SHA-256|damaged|has no public|SHA-1/.test(text))
    return 'An upload was interrupted or is incomplete. Upload again, in the order of docs/how-to/origin.md.';
  if (/certificate/.test(text))
    return (
      'If your own authority signed it, start the server with NODE_EXTRA_CA_CERTS=FILE (the certificate ' +
      'of that authority).'
    );
  return 'Check its log, and whether this host can reach it, for example with curl.';
}

/** An origin that everyone can read makes tokens useless. */
async function checkClosed(name: string, url: string, userAgent: string): Promise<Finding> {
  const requests = createOriginRequests({
    address: { url, authorization: undefined },
    connections: connectionsAtOnce,
    userAgent,
  });
  try {
    const open = await fetchWhole(requests, `public/${rootDocumentPath}`, 64 * 1024 ** 2).then(
      ({ outcome }) => outcome === 'whole',
      () => false,
    );
    return open
      ? warning(
          'origin.closed',
          `${name} can be read without credentials.`,
          'Everyone with access to this address can read all packages without a token. Require credentials ' +
            'there, or restrict the network access.',
        )
      : ok('origin.closed', 'The origin refuses requests without its credentials');
  } finally {
    requests.close();
  }
}
