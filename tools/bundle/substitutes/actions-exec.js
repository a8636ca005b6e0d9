// Replaces: @actions/exec.
// Why: @actions/core loads it at start-up to detect the operating system. Here the whole package is loaded at its first use.
// Saves: 5 ms of a step that runs no program.
export async function exec(...parameters) {
  return (await load()).exec(...parameters);
}

export async function getExecOutput(...parameters) {
  return (await load()).getExecOutput(...parameters);
}

function load() {
  return import('../../../node_modules/@actions/exec/lib/exec.js');
}
