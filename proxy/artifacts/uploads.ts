// The body of a request that uploads a file: the bytes themselves, or a form with one file field.

import { PassThrough, type Readable } from 'node:stream';
import busboy from 'busboy';
import { RegistryError } from '../../build/contract/errors.ts';
import { longestUploadMs, mostUploadBytes, stageUpload, tooLarge, type UploadedFile } from './stage-upload.ts';
import type { HttpRequest } from '../core/http/http-request.ts';
import {
  standardThroughputFloor,
  watchThroughput,
  type ThroughputFloor,
} from '../../build/shared/concurrency/throughput-floor.ts';
import type { Actor } from '../state/audit.ts';

export interface UploadLimits {
  /** concurrent uploads: each may take 256 MiB of the disk until it is examined */
  readonly atOnce: number;
  /** the uploads of one token or user among them, so that others can publish at the same time */
  readonly ofOneCaller: number;
  /** a slower upload is aborted */
  readonly leastSpeed: ThroughputFloor;
}

export const standardLimits: UploadLimits = { atOnce: 8, ofOneCaller: 4, leastSpeed: standardThroughputFloor };
/** The bytes of a form around its file. */
const formBytes = 64 * 1024;

const rawType = /^application\/(?:octet-stream|zip|x-zip-compressed|gzip|x-gzip|x-tar)$/;

export interface Uploading {
  readonly request: HttpRequest;
  /** the caller of the upload */
  readonly caller: Actor;
  readonly sendContinue: () => void;
  /** learns the name of the file in a form, before its bytes are taken */
  readonly onFile?: (name: string) => void;
}

export interface Uploads {
  /**
   * Stages the file of this request and gives it to `work`, which removes it. `fields`: the others of a form. Throws
   * RegistryError.
   */
  readonly receive: <Result>(
    uploading: Uploading,
    work: (file: UploadedFile, fields: ReadonlyMap<string, string>) => Promise<Result>,
  ) => Promise<Result>;
}

export function createUploads(dataDirectory: string, limits: UploadLimits = standardLimits): Uploads {
  const take = createSlots(limits);
  return {
    receive: async ({ request, caller, sendContinue, onFile = () => undefined }, work) => {
      const type = mediaType(request);
      if (!rawType.test(type) && type !== 'multipart/form-data')
        throw new RegistryError('UNSUPPORTED_MEDIA_TYPE', {
          message:
            'The body must be a ZIP (Content-Type: application/zip) or a tar (application/x-tar, ' +
            'application/gzip), or a form (multipart/form-data) with it as its one file.',
        });
      if (
        Number(request.headers['content-length'] ?? 0) >
        mostUploadBytes + (type === 'multipart/form-data' ? formBytes : 0)
      )
        throw tooLarge();
      const free = take(caller);
      try {
        request.holdsSlot = true;
        sendContinue();
        const fields = new Map<string, string>();
        const form = { fields, onFile };
        return await work(await stage(request, type, dataDirectory, limits.leastSpeed, form), fields);
      } finally {
        request.holdsSlot = false;
        free();
      }
    },
  };
}

/**
 * Takes a slot for `caller`, and returns a function that frees it. Throws RegistryError OVERLOADED if all slots are
 * taken.
 */
function createSlots({ atOnce, ofOneCaller }: UploadLimits): (caller: Actor) => () => void {
  const taken = new Map<Actor, number>();
  let all = 0;
  return (caller) => {
    const own = taken.get(caller) ?? 0;
    if (own >= ofOneCaller) throw overloaded(`${own} uploads of yours`);
    if (all >= atOnce) throw overloaded(`${all} uploads`);
    all += 1;
    taken.set(caller, own + 1);
    return () => {
      all -= 1;
      const left = (taken.get(caller) ?? 1) - 1;
      if (left === 0) taken.delete(caller);
      else taken.set(caller, left);
    };
  };
}

function overloaded(uploads: string): RegistryError {
  return new RegistryError('OVERLOADED', {
    message: `${uploads} are already in progress. Try again shortly.`,
    details: { retry_after_seconds: 5 },
  });
}

function tooSlow(error: Error, { bytes }: ThroughputFloor): RegistryError {
  return new RegistryError('REQUEST_TIMEOUT', {
    message: `The upload was aborted: ${error.message}. It must send at least ${bytes} bytes in that time.`,
  });
}

/** What a form has beside the bytes of its file. */
interface FormParts {
  readonly fields: Map<string, string>;
  readonly onFile: (name: string) => void;
}

async function stage(
  request: HttpRequest,
  type: string,
  dataDirectory: string,
  leastSpeed: ThroughputFloor,
  parts: FormParts,
): Promise<UploadedFile> {
  const controller = new AbortController();
  const abort = (reason: Error): void => controller.abort(reason);
  const timer = setTimeout(
    () =>
      abort(
        new RegistryError('REQUEST_TIMEOUT', {
          message: `The upload took longer than ${longestUploadMs / 1000} seconds.`,
        }),
      ),
    longestUploadMs,
  );
  const brokenOff = (): void => abort(new RegistryError('BAD_REQUEST', { message: 'The upload ended too early.' }));
  request.once('aborted', brokenOff);
  if (request.aborted) brokenOff();
  if (request.errored) abort(request.errored);
  const speed = watchThroughput({ destroy: (error) => abort(tooSlow(error, leastSpeed)) }, leastSpeed);
  try {
    const source = type === 'multipart/form-data' ? fileOfForm(request, parts, abort) : request;
    return await stageUpload(source, dataDirectory, { signal: controller.signal, speed });
  } finally {
    speed.end();
    clearTimeout(timer);
  }
}

/** The bytes of the form's only file. They end only with the form, so that an invalid form never counts as complete. */
function fileOfForm(request: HttpRequest, { fields, onFile }: FormParts, abort: (reason: Error) => void): Readable {
  const bytes = new PassThrough();
  const wrong = (message: string): void => abort(new RegistryError('BAD_REQUEST', { message }));
  const form = openForm(request);
  let files = 0;
  form.on('field', (name, value) => fields.set(name, value));
  form.on('file', (_name, file, { filename }: { readonly filename?: string }) => {
    files += 1;
    if (filename !== undefined) onFile(filename);
    // for each file: an unhandled error ends the process
    file.on('error', () => wrong('The form broke off before its end.'));
    if (files > 1) {
      file.resume();
      wrong('The form contains more than one file. Send one ZIP at a time.');
      return;
    }
    file.pipe(bytes, { end: false });
  });
  form.on('partsLimit', () => wrong('The form has more parts than an upload needs.'));
  form.on('error', (error: Error) => wrong(`The form cannot be read: ${error.message}.`));
  form.on('close', () => (files === 0 ? wrong('The form holds no file. Send the ZIP as its one file.') : bytes.end()));
  request.on('error', (error: Error) =>
    error instanceof RegistryError ? abort(error) : wrong('The upload ended too early.'),
  );
  request.pipe(form);
  return bytes;
}

function openForm({ headers }: HttpRequest): busboy.Busboy {
  try {
    return busboy({
      headers,
      limits: { files: 2, fields: 8, fieldSize: 4096, parts: 16, fileSize: mostUploadBytes + 1 },
    });
  } catch (error) {
    throw new RegistryError('BAD_REQUEST', { message: `The form cannot be read: ${(error as Error).message}.` });
  }
}

function mediaType({ headers }: HttpRequest): string {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
