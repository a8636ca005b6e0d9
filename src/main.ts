import { Cancellation, runStep } from './step/step.ts';

async function main(): Promise<void> {
  const cancelled = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      cancelled.abort(new Cancellation(signal));
    });
  }
  // Stays if the step throws.
  process.exitCode = 1;
  // The actions in `actions/` add the name of their operation to the arguments, of which a runner passes none.
  if (await runStep(process.env, cancelled.signal, process.argv[2])) process.exitCode = 0;
}

/** Exits once everything is written, even if connections are still open. */
function end(): void {
  process.stdout.write('', () => process.exit());
}

void main().then(end);
