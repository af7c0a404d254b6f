// Keeps the bodies of hooks in memory until they are parsed: small ones only, and few at once. Their senders have not
// proven anything yet, so the bodies of one client address take at most a part of the memory.

export interface BodyBuffers {
  readonly open: (clientAddress: string) => BodyBuffer;
}

export interface BodyBuffer {
  readonly add: (piece: Buffer) => void;
  /** The body so far. `too large`: it is not parsed. `no room`: other bodies take all the memory. */
  readonly bytes: () => Buffer | 'too large' | 'no room';
  /** Frees the memory. Later pieces are ignored. */
  readonly release: () => void;
}

export interface BodyBufferLimits {
  readonly mostBytes: number;
  /** of all bodies of one client address at one moment */
  readonly mostBytesOfAddress: number;
  /** of all bodies at one moment */
  readonly mostBytesTogether: number;
}

const megabyte = 1024 * 1024;

export const standardKeptLimits: BodyBufferLimits = {
  mostBytes: megabyte,
  mostBytesOfAddress: 24 * megabyte,
  mostBytesTogether: 64 * megabyte,
};

export function createBodyBuffers(limits: BodyBufferLimits = standardKeptLimits): BodyBuffers {
  const memory = createMemory(limits);
  return {
    open: (clientAddress) => {
      let pieces: Buffer[] = [];
      let size = 0;
      let ended: 'too large' | 'no room' | undefined;
      const end = (reason: 'too large' | 'no room'): void => {
        memory.take(clientAddress, -size);
        pieces = [];
        size = 0;
        ended = reason;
      };
      return {
        add: (piece) => {
          if (ended !== undefined) return;
          if (size + piece.length > limits.mostBytes) return end('too large');
          if (!memory.hasRoom(clientAddress, piece.length)) return end('no room');
          pieces.push(piece);
          size += piece.length;
          memory.take(clientAddress, piece.length);
        },
        bytes: () => ended ?? Buffer.concat(pieces),
        release: () => end('too large'),
      };
    },
  };
}

/** The bytes that are kept now, together and for each client address. */
function createMemory({ mostBytesOfAddress, mostBytesTogether }: BodyBufferLimits) {
  let together = 0;
  const ofAddresses = new Map<string, number>();
  return {
    hasRoom: (address: string, bytes: number): boolean =>
      together + bytes <= mostBytesTogether && (ofAddresses.get(address) ?? 0) + bytes <= mostBytesOfAddress,
    /** `bytes`: negative to give them back */
    take: (address: string, bytes: number): void => {
      together += bytes;
      const left = (ofAddresses.get(address) ?? 0) + bytes;
      if (left === 0) ofAddresses.delete(address);
      else ofAddresses.set(address, left);
    },
  };
}
