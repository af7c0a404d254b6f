// Tracks background promises until they settle. Their errors go to `onError`.

export class BackgroundWork {
  readonly #work = new Set<Promise<void>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  start(task: () => Promise<void>): Promise<void> {
    const done = task()
      .catch(this.#onError)
      .finally(() => void this.#work.delete(done));
    this.#work.add(done);
    return done;
  }

  busy(): boolean {
    return this.#work.size > 0;
  }

  async idle(): Promise<void> {
    await Promise.all(this.#work);
  }
}
