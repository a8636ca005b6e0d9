import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '../../../../runtime/failure.ts';
import { valueAt } from '../../../../runtime/untrusted-data.ts';
import { connect } from './database.ts';
import type { StatementAnswer, StatementRequest } from './large-writes.ts';
import { prepareStatement } from './session.ts';

/* The worker thread of `large-writes.ts`: receives the path of the database, then statements, and posts what they return. */

let database: DatabaseSync | undefined;

parentPort?.on('message', (request: StatementRequest) => {
  parentPort?.postMessage(answer(request));
});

function answer({ sqlite, values }: StatementRequest): StatementAnswer {
  try {
    database ??= connect(String(workerData));
    // A statement of a transaction that has ended would be committed alone.
    if (!database.isTransaction && sqlite !== 'BEGIN IMMEDIATE') throw new Error('the transaction has ended');
    return prepareStatement(database, sqlite)(values);
  } catch (error) {
    return { rows: [], changes: 0, fault: { message: errorMessage(error), errcode: valueAt(error, 'errcode') } };
  }
}
