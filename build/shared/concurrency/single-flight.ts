// Work that several want at once, done once.

export class SingleFlight<Value> {
  readonly #running = new Map<string, Promise<Value>>();

  /** What `work` comes to; it is not begun again under the same key while it runs. */
  run(key: string, work: () => Promise<Value>): Promise<Value> {
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const value = work().finally(() => this.#running.delete(key));
    this.#running.set(key, value);
    return value;
  }
}
