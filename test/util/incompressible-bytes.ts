// Incompressible bytes, the same on every machine.

export function incompressibleBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let state = 1;
  for (let at = 0; at < size; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    bytes[at] = (state >>> 16) ^ (state >>> 24);
  }
  return bytes;
}
