// What was read to be identified and will most likely be wanted again for an archive: kept up to a bound, so that a first build opens most files
// once. What is not kept is read again.

export interface KeptContents {
  /** whether there is room for as many bytes */
  readonly hasRoom: (bytes: number) => boolean;
  readonly keep: (identity: string, bytes: Buffer) => void;
  /** The content of this identity; it is then no longer kept. */
  readonly take: (identity: string) => Buffer | undefined;
  /** Lets go of everything. */
  readonly clear: () => void;
}

/** Some thousand source files. */
const defaultMaxBytes = 48 * 1024 * 1024;

export function createKeptContents(maxBytes = defaultMaxBytes): KeptContents {
  const contents = new Map<string, Buffer>();
  let held = 0;
  return {
    hasRoom: (bytes) => held + bytes <= maxBytes,
    keep: (identity, bytes) => {
      if (contents.has(identity)) return;
      contents.set(identity, bytes);
      held += bytes.length;
    },
    take: (identity) => {
      const bytes = contents.get(identity);
      if (bytes === undefined) return undefined;
      contents.delete(identity);
      held -= bytes.length;
      return bytes;
    },
    clear: () => {
      contents.clear();
      held = 0;
    },
  };
}
