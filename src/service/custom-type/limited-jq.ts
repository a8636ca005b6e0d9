import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Jq, loadJq } from 'jq-wasm';
import { isMapping } from '../../runtime/untrusted-data.ts';
import { prelude } from './refused-functions.ts';
import { LimitError, whileBusy, withinTime } from './time-limit.ts';

/** In MiB; the thread has as much for the schema. */
const maximumMemory = 64;

/** The members that are used; the types of Node.js have none of this global. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<unknown>;
  instantiate(module: unknown, imports: unknown): Promise<unknown>;
};

/** The instance of jq. A failure may leave it in any state. */
let loading: Promise<Jq> | undefined;

async function loadLimitedJq(): Promise<Jq> {
  const module = await WebAssembly.compile(await readFile(fileURLToPath(import.meta.resolve('jq-wasm/jq.wasm'))));
  const jq = await loadJq({
    instantiateWasm: (imports: unknown, onSuccess: (instance: unknown, module: unknown) => void) => {
      void WebAssembly.instantiate(module, limitMemory(imports)).then((instance) => {
        onSuccess(instance, module);
      });
    },
  });
  // Compiles what every call needs, so that no judgement has to wait for it.
  jq.raw('{}', `${prelude}\n.`);
  return jq;
}

type Resize = (bytes: number) => unknown;

/** Limits the function with which jq grows its memory, found by its own name because names of imports are minified. */
function limitMemory(imports: unknown): unknown {
  const limit = (value: unknown): unknown => {
    const isResize = (given: unknown): given is Resize =>
      typeof given === 'function' && given.name === '_emscripten_resize_heap';
    if (!isResize(value)) return value;
    return (bytes: number): unknown => {
      if (bytes > maximumMemory * 1024 * 1024) throw new LimitError(`need more than ${maximumMemory} MiB`);
      return value(bytes);
    };
  };
  const mapValues = (given: unknown, change: (value: unknown) => unknown): unknown =>
    Object.fromEntries(Object.entries(isMapping(given) ? given : {}).map(([name, value]) => [name, change(value)]));
  return mapValues(imports, (functions) => mapValues(functions, limit));
}

/** Runs work with jq in limited time. After a failure, the next work gets a new instance. */
export function withJq<Result>(milliseconds: number, work: (jq: Jq) => Result): Promise<Result> {
  return whileBusy(async () => {
    loading ??= loadLimitedJq();
    const jq = await loading;
    try {
      return withinTime(milliseconds, () => work(jq));
    } catch (error) {
      loading = undefined;
      throw error;
    }
  });
}

/**
 * Runs a program that begins with the prelude, or only compiles it if there is no input.
 *
 * @throws Error with the message of jq
 */
export function run(jq: Jq, program: string, input: string, option: string): string {
  const { exitCode, stdout, stderr } = jq.raw(input, program, [option]);
  if (exitCode !== 0) throw new Error(toJqMessage(stderr));
  return stdout;
}

/** The first message of jq, with the position in the rule, which is below the prelude. */
function toJqMessage(output: string): string {
  const [first = ''] = output.split('\n');
  return first
    .replace(/^jq: error: /u, '')
    .replace(/ at <top-level>, line (\d+), column (\d+):$/u, (_, line: string, column: string) => {
      return ` at line ${Number(line) - 1}, column ${column}`;
    });
}
