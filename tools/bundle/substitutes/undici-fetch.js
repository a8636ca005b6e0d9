import { leftOut } from './left-out.js';

/** @actions/github's default, in whose place the action gives its own `fetch`. */
export function fetch() {
  throw leftOut('undici.fetch');
}
