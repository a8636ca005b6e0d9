import { execFileSync } from 'node:child_process';

/** Sets a limit of a running process (prlimit(1)), such as `fsize` or `nofile`; the hard limit stays. */
export function limitProcess(pid: number | undefined, limit: string, value: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--${limit}=${value}:`]);
}

/** Whether processes can be limited here. */
export function canLimitProcesses(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return process.platform === 'linux';
  } catch {
    return false;
  }
}
