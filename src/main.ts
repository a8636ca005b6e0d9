import { Cancellation, runStep } from './step/step.ts';

async function main(): Promise<void> {
  const cancelled = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      cancelled.abort(new Cancellation(signal));
    });
  }
  // Until the step has ended well.
  process.exitCode = 1;
  if (await runStep(process.env, cancelled.signal)) process.exitCode = 0;
}

/** Nothing that is still open, such as a connection, keeps the job waiting once everything is said. */
function end(): void {
  process.stdout.write('', () => process.exit());
}

void main().then(end);
