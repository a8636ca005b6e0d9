// Replaces: @actions/exec.
// Why: @actions/core loads it at its start to ask for the operating system. Here it is loaded at its first use, whole.
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
