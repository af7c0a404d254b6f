// The port to an object store: objects with conditions, as S3 has them. A key is given below the store's prefix.
// Every method throws StoreFailure (store-failure.ts), and repeats what a passing fault of the store had ended.

/** The object's key below the store's prefix, not encoded: `index/_head.json`. */
export type ObjectKey = string;

export interface ObjectFacts {
  readonly key: ObjectKey;
  readonly size: number;
  /** with its quotes, as received */
  readonly etag: string;
}

export interface ListedObject extends ObjectFacts {
  /** the time of its upload, epoch milliseconds */
  readonly modified: number;
}

export interface HeadFacts extends ObjectFacts {
  /** x-amz-meta-sha256, hex; undefined for objects that others wrote */
  readonly sha256: string | undefined;
}

export interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** A body whose SHA-256 (hex) is known: bytes in memory, or a file that is streamed. */
export type ObjectBody =
  | { readonly bytes: Buffer; readonly sha256: string }
  | { readonly file: string; readonly size: number; readonly sha256: string };

/** `absent`: no object may be there. `etag`: this one must be there. */
export type Precondition = 'absent' | { readonly etag: string };

export interface PutHeaders {
  readonly contentType: string;
  readonly cacheControl: string;
}

/** refused: another object is there (absent), or its ETag differs or it is gone (etag). */
export type PutOutcome = { readonly outcome: 'written'; readonly etag: string } | { readonly outcome: 'refused' };

/** An object store that is opened only for work on it. */
export interface OpenableStore {
  readonly open: () => Promise<ObjectStore>;
}

export interface ObjectStore {
  /** for messages: s3://bucket/prefix */
  readonly name: string;
  /** undefined: there is no object. An object of more than `maxBytes` is a failure. */
  readonly get: (key: ObjectKey, maxBytes: number) => Promise<StoredObject | undefined>;
  /** GET with If-None-Match. */
  readonly getIfChanged: (
    key: ObjectKey,
    etag: string | undefined,
    maxBytes: number,
  ) => Promise<StoredObject | 'same' | undefined>;
  readonly head: (key: ObjectKey) => Promise<HeadFacts | undefined>;
  /**
   * Streams into `target`, which must not exist; undefined: the object is only read. Resolves to false if there is no
   * object. Removes `target` after a failure. Throws `damaged` if the SHA-256 differs.
   */
  readonly download: (
    key: ObjectKey,
    target: string | undefined,
    expected: { readonly size: number; readonly sha256: string },
  ) => Promise<boolean>;
  /**
   * Multipart above 100 MB; the precondition goes to CompleteMultipartUpload. Writes x-amz-meta-sha256. After a lost
   * answer, an object with the same digest counts as written: a text that must have one writer needs a part of its own.
   */
  readonly put: (
    key: ObjectKey,
    body: ObjectBody,
    headers: PutHeaders,
    condition?: Precondition,
  ) => Promise<PutOutcome>;
  /** Server-side copy with metadata kept; false if `from` is missing. */
  readonly copy: (from: ObjectKey, to: ObjectKey) => Promise<boolean>;
  /** Absent objects are no fault. */
  readonly remove: (keys: readonly ObjectKey[]) => Promise<void>;
  /** In the order of the keys. `prefix` is a text: `dist/` or `dist/acme/a`. */
  readonly list: (prefix: string) => AsyncIterable<ListedObject>;
  /** A presigned GET of at most `seconds`; credentials of a role shorten it. */
  readonly presign: (key: ObjectKey, seconds: number) => Promise<string>;
  readonly close: () => void;
}
