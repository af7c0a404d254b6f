// The body of a request that uploads a file: the bytes themselves, or a form with one file field.

import { PassThrough, type Readable } from 'node:stream';
import busboy from 'busboy';
import { RegistryError } from '../../build/contract/errors.ts';
import { longestUploadMs, mostUploadBytes, stageUpload, tooLarge, type StagedFile } from '../artifacts/stage-upload.ts';
import type { HttpRequest } from '../http-request.ts';

/** Uploads at the same time: each may take 256 MiB of the disk until it is looked at. */
const mostAtOnce = 8;
/** What a form may have around its file. */
const formBytes = 64 * 1024;

const rawTypes: ReadonlySet<string> = new Set(['application/zip', 'application/octet-stream', 'application/x-zip-compressed']);

export interface Uploads {
  /** Stages the file of this request and gives it to `work`, which removes it. Throws RegistryError. */
  readonly receive: <Result>(request: HttpRequest, sendContinue: () => void, work: (file: StagedFile) => Promise<Result>) => Promise<Result>;
}

export function createUploads(dataDirectory: string): Uploads {
  let underWay = 0;
  return {
    receive: async (request, sendContinue, work) => {
      const type = mediaType(request);
      if (!rawTypes.has(type) && type !== 'multipart/form-data') throw new RegistryError('UNSUPPORTED_MEDIA_TYPE', { message: 'The body must be a ZIP (Content-Type: application/zip), or a form (multipart/form-data) with the ZIP as its one file.' });
      if (Number(request.headers['content-length'] ?? 0) > mostUploadBytes + (type === 'multipart/form-data' ? formBytes : 0)) throw tooLarge();
      if (underWay >= mostAtOnce) throw new RegistryError('OVERLOADED', { message: `There are ${mostAtOnce} uploads under way already. Try again shortly.`, details: { retry_after_seconds: 5 } });
      underWay += 1;
      try {
        sendContinue();
        return await work(await stage(request, type, dataDirectory));
      } finally {
        underWay -= 1;
      }
    },
  };
}

async function stage(request: HttpRequest, type: string, dataDirectory: string): Promise<StagedFile> {
  const controller = new AbortController();
  const abort = (reason: Error): void => controller.abort(reason);
  const timer = setTimeout(() => abort(new RegistryError('REQUEST_TIMEOUT', { message: `The upload took longer than ${longestUploadMs / 1000} seconds.` })), longestUploadMs);
  const brokenOff = (): void => abort(new RegistryError('BAD_REQUEST', { message: 'The upload broke off before its end.' }));
  request.once('aborted', brokenOff);
  if (request.aborted) brokenOff();
  if (request.errored) abort(request.errored);
  try {
    if (type !== 'multipart/form-data') return await stageUpload(request, dataDirectory, controller.signal);
    return await stageUpload(fileOfForm(request, abort), dataDirectory, controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** The bytes of the form's only file, which end only once the form does: nothing of a form that turns out wrong is taken for whole. */
function fileOfForm(request: HttpRequest, abort: (reason: Error) => void): Readable {
  const bytes = new PassThrough();
  const wrong = (message: string): void => abort(new RegistryError('BAD_REQUEST', { message }));
  const form = openForm(request);
  let files = 0;
  form.on('file', (_name, file) => {
    files += 1;
    file.on('error', () => wrong('The form broke off before its end.')); // of each file: an error that nobody hears ends the process
    if (files > 1) {
      file.resume();
      wrong('The form holds more than one file. Send one ZIP at a time.');
      return;
    }
    file.pipe(bytes, { end: false });
  });
  form.on('partsLimit', () => wrong('The form has more parts than an upload needs.'));
  form.on('error', (error: Error) => wrong(`The form cannot be read: ${error.message}.`));
  form.on('close', () => (files === 0 ? wrong('The form holds no file. Send the ZIP as its one file.') : bytes.end()));
  request.on('error', (error: Error) => (error instanceof RegistryError ? abort(error) : wrong('The upload broke off before its end.')));
  request.pipe(form);
  return bytes;
}

function openForm({ headers }: HttpRequest): busboy.Busboy {
  try {
    return busboy({ headers, limits: { files: 2, fields: 8, fieldSize: 4096, parts: 16, fileSize: mostUploadBytes + 1 } });
  } catch (error) {
    throw new RegistryError('BAD_REQUEST', { message: `The form cannot be read: ${(error as Error).message}.` });
  }
}

function mediaType({ headers }: HttpRequest): string {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
