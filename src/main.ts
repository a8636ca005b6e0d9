import { Cancellation, failStep, failUnopened, openStep, runStep, type Step } from './step/step.ts';

async function main(): Promise<void> {
  const cancelled = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      cancelled.abort(new Cancellation(signal));
    });
  }
  let step: Step | undefined;
  try {
    step = openStep(process.env, cancelled.signal);
    process.exitCode = (await runStep(step)) ? 0 : 1;
  } catch (error) {
    process.exitCode = 1;
    if (step === undefined) failUnopened(process.env, error);
    else await failStep(step, error);
  }
}

/** Nothing that is still open, such as a connection, keeps the job waiting once everything is said. */
function end(): void {
  process.stdout.write('', () => process.exit());
}

void main().then(end);
