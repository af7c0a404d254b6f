// Keeps the bodies of hooks in memory until they are parsed: small ones only, and few at once. Their senders have not
// proven anything yet.

export interface KeptBodies {
  readonly open: () => KeptBody;
}

export interface KeptBody {
  readonly add: (piece: Buffer) => void;
  /** The body so far. `too large`: it is not parsed. `no room`: other bodies take all the memory. */
  readonly bytes: () => Buffer | 'too large' | 'no room';
  /** Frees the memory. Later pieces are ignored. */
  readonly release: () => void;
}

export interface KeptBodyLimits {
  readonly mostBytes: number;
  /** of all bodies at one moment */
  readonly mostBytesTogether: number;
}

export const standardKeptLimits: KeptBodyLimits = { mostBytes: 1024 * 1024, mostBytesTogether: 64 * 1024 * 1024 };

export function createKeptBodies({ mostBytes, mostBytesTogether }: KeptBodyLimits = standardKeptLimits): KeptBodies {
  let together = 0;
  return {
    open: () => {
      let pieces: Buffer[] = [];
      let size = 0;
      let ended: 'too large' | 'no room' | undefined;
      const end = (reason: 'too large' | 'no room'): void => {
        together -= size;
        pieces = [];
        size = 0;
        ended = reason;
      };
      return {
        add: (piece) => {
          if (ended !== undefined) return;
          if (size + piece.length > mostBytes) return end('too large');
          if (together + piece.length > mostBytesTogether) return end('no room');
          pieces.push(piece);
          size += piece.length;
          together += piece.length;
        },
        bytes: () => ended ?? Buffer.concat(pieces),
        release: () => end('too large'),
      };
    },
  };
}
