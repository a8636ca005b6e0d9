// Loaded into a measured process with `--require`. When the process exits, writes its peak memory in bytes to the file
// that BENCH_PEAK_MEMORY names.
const { readFileSync, writeFileSync } = require('node:fs');
const process = require('node:process');

process.once('exit', () => {
  writeFileSync(process.env.BENCH_PEAK_MEMORY, String(peakBytes()));
});

function peakBytes() {
  // On Linux, ru_maxrss survives exec, so it includes the peak of the process that started this one. VmHWM, the high-
  // water mark of the address space, is only about this program.
  if (process.platform === 'linux') {
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return Number(kibibytes) * 1024;
  }
  return process.resourceUsage().maxRSS * 1024;
}
