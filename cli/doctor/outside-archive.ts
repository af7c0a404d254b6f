// Checks that archives arrive with their published bytes, without loading a large archive: requests the smallest of a
// few, or the start of a large one.

import { describeResponse, type ProbeOptions, type ProbeResponse } from './send-probe.ts';
import { failed, ok, type Finding } from './finding.ts';

export interface OfferedArchive {
  readonly address: string;
  /** SHA-1, if the document has one */
  readonly shasum: string | undefined;
}

type SendProbe = (address: string, options?: ProbeOptions) => Promise<ProbeResponse>;

/** Each archive costs the token one request. */
const askedForSize = 4;
/** Up to this size an archive is loaded whole, and its checksum compared. */
const wholeUpToBytes = 4 * 1024 * 1024;
/** More than a front's buffers hold. */
const beginningBytes = 256 * 1024;

/** `archives`: at least one. `asked`: requests with the token; `asStranger`: without. */
export async function checkArchiveDownload(
  archives: readonly OfferedArchive[],
  asked: SendProbe,
  asStranger: SendProbe,
): Promise<Finding> {
  const { address, shasum, size } = await smallestOf(archives.slice(0, askedForSize), asked);
  const reply = await asked(address, {
    upToBytes: size !== undefined && size > wholeUpToBytes ? beginningBytes : wholeUpToBytes,
  });
  if (reply.status !== 200)
    return failed(
      'url.dist',
      `The archive ${address} cannot be downloaded: ${describeResponse(reply)}.`,
      'Configure the reverse proxy to pass on /dist/ with the query. If the registry is below a path, set ' +
        'distUrl to its full address.',
    );
  if (reply.whole ? shasum !== undefined && shasum !== reply.sha1 : !reply.text.startsWith('PK'))
    return failed(
      'url.dist',
      `The bytes of the archive ${address} differ from the checksum in its document.`,
      'A proxy between client and registry changes archives: turn off compression for /dist/. ' +
        '`libretto verify` on the host ' +
        'shows whether the file itself is whole.',
    );
  const anonymous = await asStranger(address, { upToBytes: 0 });
  if (anonymous.status === 200)
    return failed(
      'url.dist',
      `Clients without a token get the archive ${address}.`,
      'A proxy between client and registry stores answers. Configure it to store nothing.',
    );
  return ok(
    'url.dist',
    reply.whole
      ? `An archive arrives as published (${reply.bytes} bytes)`
      : `The beginning of an archive arrives (${reply.bytes} of ` +
          `${reply.headers['content-length'] ?? 'an unknown number of'} bytes; a smaller one was not found, and ` +
          'its checksum was not compared)',
  );
}

/** By the length in the HEAD response; the first archive if no response has a length. */
async function smallestOf(
  archives: readonly OfferedArchive[],
  asked: SendProbe,
): Promise<OfferedArchive & { readonly size: number | undefined }> {
  const [first] = archives;
  if (first === undefined) throw new Error('there is no archive to request');
  let smallest: OfferedArchive & { readonly size: number | undefined } = { ...first, size: undefined };
  for (const archive of archives) {
    const { status, headers } = await asked(archive.address, { method: 'HEAD' });
    const size = status === 200 ? Number(headers['content-length'] ?? Number.NaN) : Number.NaN;
    if (Number.isFinite(size) && (smallest.size === undefined || size < smallest.size)) smallest = { ...archive, size };
  }
  return smallest;
}
