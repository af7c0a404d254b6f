// libdeflate, compiled to WebAssembly: it takes a third of the time of deflate in JavaScript. WebAssembly is
// deterministic, so every machine and Node version produces the same bytes. libdeflate/build.sh makes it.

import { libdeflateWasm } from './libdeflate/libdeflate-wasm.ts';

/** Compresses one content after another, on one thread; large ones in steps. */
export interface Compressor {
  /** most bytes of a step */
  readonly stepBytes: number;
  /**
   * The next part of the raw deflate stream; the step after a last one begins another content. A step has at least one
   * byte. The result is valid until the next step.
   */
  readonly deflate: (step: Uint8Array, last: boolean) => Uint8Array;
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly initialize: () => void;
  readonly input: () => number;
  readonly output: () => number;
  readonly step: () => number;
  readonly deflate: (size: number, last: boolean) => number;
}

/** The parts of WebAssembly in use: Node's types leave them to those of browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** Each compressor has 3 MB of memory. */
export function createCompressor(): Compressor {
  const module = new WebAssembly.Module(Buffer.from(libdeflateWasm, 'base64'));
  const exports = new WebAssembly.Instance(module).exports as Exports;
  exports.initialize();
  const [input, output, stepBytes] = [exports.input(), exports.output(), exports.step()];
  const memory = new Uint8Array(exports.memory.buffer);
  return {
    stepBytes,
    deflate: (step, last) => {
      if (step.length === 0 || step.length > stepBytes) throw new RangeError(`A step of ${step.length} bytes.`);
      memory.set(step, input);
      return memory.subarray(output, output + exports.deflate(step.length, last));
    },
  };
}
