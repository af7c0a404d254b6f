// A cache bounded by bytes, not entries. Eviction is "second chance": a hit only sets a flag, which costs the hot path
// nothing. An entry with a hit since its last inspection survives one more round.

interface Slot<Value> {
  readonly value: Value;
  bytes: number;
  hit: boolean;
}

export class ByteCache<Value> {
  readonly #slots = new Map<string, Slot<Value>>();
  readonly #limitBytes: number;
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get(key: string): Value | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    slot.hit = true;
    return slot.value;
  }

  /** Stores `value` while there is room. A value larger than a quarter of the cache is not stored. */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key);
    if (bytes > this.#limitBytes / 4) return;
    this.#evict(this.#limitBytes - bytes); // evicts before the insertion: a new entry has had no chance of a hit yet
    this.#slots.set(key, { value, bytes, hit: false });
    this.#bytes += bytes;
  }

  /** The value under `key` took `bytes` more, for instance a compressed variant. */
  grow(key: string, value: Value, bytes: number): void {
    const slot = this.#slots.get(key);
    if (slot === undefined || slot.value !== value) return;
    slot.bytes += bytes;
    this.#bytes += bytes;
    this.#evict(this.#limitBytes);
  }

  delete(key: string): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    this.#slots.delete(key);
    this.#bytes -= slot.bytes;
  }

  clear(): void {
    this.#slots.clear();
    this.#bytes = 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Until at most so many bytes are left. */
  #evict(targetBytes: number): void {
    for (const [key, slot] of this.#slots) {
      if (this.#bytes <= targetBytes) return;
      this.#slots.delete(key);
      if (slot.hit) {
        slot.hit = false;
        this.#slots.set(key, slot); // moves to the end: this loop finds the entry again, without its flag
      } else {
        this.#bytes -= slot.bytes;
      }
    }
  }
}
