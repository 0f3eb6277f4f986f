// A bell: who waits is woken by the next call, or at once by one that came while nobody waited.

export class Wake {
  #isCalled = false;
  #onCall: (() => void) | null = null;

  call(): void {
    this.#isCalled = true;
    this.#onCall?.();
  }

  /** Resolves when called, or after that long; tells whether it was called. One may wait at a time. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (!this.#isCalled) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#onCall = resolve;
        timer = setTimeout(resolve, timeoutMs);
      });
      clearTimeout(timer);
      this.#onCall = null;
    }
    const wasCalled = this.#isCalled;
    this.#isCalled = false;
    return wasCalled;
  }
}
