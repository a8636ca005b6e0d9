// Preloaded into a measured process (`--require`): when it ends, writes the most memory it ever had, in bytes, to the file
// that BENCH_PEAK_MEMORY names.
const { readFileSync, writeFileSync } = require('node:fs');
const process = require('node:process');

process.once('exit', () => {
  writeFileSync(process.env.BENCH_PEAK_MEMORY, String(peakBytes()));
});

function peakBytes() {
  // Linux hands the peak of the process that started this one down to it (ru_maxrss survives exec). The high-water mark
  // of the address space is this program's own.
  if (process.platform === 'linux') {
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    return Number(kibibytes) * 1024;
  }
  return process.resourceUsage().maxRSS * 1024;
}
