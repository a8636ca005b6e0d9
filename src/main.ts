import { cancellation, failStep, openStep, runStep } from './step/step.ts';

async function main(): Promise<void> {
  const step = openStep(process.env);
  const cancelled = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      cancelled.abort(cancellation(signal));
    });
  }
  try {
    process.exitCode = (await runStep(step, cancelled.signal)) ? 0 : 1;
  } catch (error) {
    process.exitCode = 1;
    await failStep(step, error);
  }
}

void main();
