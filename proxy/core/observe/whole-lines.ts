// Cuts text for a pipe that several processes write to. Linux writes up to 4096 bytes atomically (PIPE_BUF, pipe(7)). A
// longer write could mix its lines with lines of another process. Pure.

const atomicBytes = 4096;

/** Pieces of whole lines, none longer than that but for a line that is itself. `bytes` ends with a line end. */
export function wholeLines(bytes: Buffer, most = atomicBytes): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = endOfPiece(bytes, start, most);
    pieces.push(bytes.subarray(start, end));
    start = end;
  }
  return pieces;
}

function endOfPiece(bytes: Buffer, start: number, most: number): number {
  if (bytes.length - start <= most) return bytes.length;
  const last = bytes.lastIndexOf(0x0a, start + most - 1);
  if (last >= start) return last + 1;
  const next = bytes.indexOf(0x0a, start + most);
  return next === -1 ? bytes.length : next + 1;
}
