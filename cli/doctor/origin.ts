// Checks the origin: the tree is readable and complete, a missing file is 404, and the origin refuses strangers.

import { parsePackageName } from '../../build/contract/name.ts';
import { publicationPath, rootDocumentPath } from '../../build/contract/paths.ts';
import type { Publication } from '../../build/contract/publication.ts';
import { createOriginFiles } from '../../proxy/origin/origin-files.ts';
import { createOriginRequests } from '../../proxy/origin/origin-requests.ts';
import { fetchWhole } from '../../proxy/origin/origin-text.ts';
import type { Config } from '../config/config.ts';
import { counted } from '../io/output.ts';
import { parsePublishedTree } from '../tree/published-tree.ts';
import { version } from '../io/version.ts';
import { failed, ok, settled, warning, type Finding } from './finding.ts';

const connectionsAtOnce = 4;

/** Returns no finding if the tree is in the data folder. */
export async function checkOrigin({ origin, originAuthorization, originCheck }: Config): Promise<readonly Finding[]> {
  if (origin.value === undefined) return [];
  const { url } = origin.value;
  const address = { url, authorization: originAuthorization.value ?? origin.value.authorization };
  const userAgent = `Libretto/${version} (doctor)`;
  const opened = createOriginFiles({
    address,
    checkEveryMs: originCheck.value,
    cacheBytes: 1024 ** 2 * 64,
    userAgent,
    onNewer: () => undefined,
    notice: () => undefined,
    monotonicMs: () => performance.now(),
  });
  try {
    const publication = await opened.files.publication();
    if (publication === undefined) return [missingTree(url)];
    const read = await readSamples(opened);
    return [
      readable(url, publication, read),
      ...(address.authorization === undefined
        ? []
        : await settled('origin.closed', 'Check the reverse proxy in front of the origin.', () =>
            checkClosed(url, userAgent),
          )),
    ];
  } catch (error) {
    return [failed('origin', error instanceof Error ? error.message : String(error), adviceFor(error))];
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

function adviceFor(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
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
async function checkClosed(url: string, userAgent: string): Promise<Finding> {
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
          `${url} can be read without credentials.`,
          'Everyone with access to this address can read all packages without a token. Require credentials ' +
            'there, or restrict the network access.',
        )
      : ok('origin.closed', 'The origin refuses requests without its credentials');
  } finally {
    requests.close();
  }
}
