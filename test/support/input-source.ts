import type { EnvironmentVariables } from '../../src/runtime/dependencies.ts';
import type { InputSource } from '../../src/step/run/read-inputs.ts';

/** The inputs that a process with these variables has: the runner sets `INPUT_BASE-URL` for `base-url`. */
export function inputSource(environment: EnvironmentVariables): InputSource {
  return { given: (name) => environment[`INPUT_${name.toUpperCase()}`] ?? '', environment };
}
